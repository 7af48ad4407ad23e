"""As the program of the same release."""

VERSION = "0.1.0"
