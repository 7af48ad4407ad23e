"""As the program of the same release."""

VERSION = "1.0.0rc2"
