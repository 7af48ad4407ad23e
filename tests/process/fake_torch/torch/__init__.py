"""As much of PyTorch's shape as the hooks of `stallcast observe` touch: the same modules, classes and methods."""
from . import version
from .serialization import load, save
from . import cuda, optim, utils
from .nn import Parameter, zeros
import torch.utils.data  # noqa: F401

__version__ = version.__version__
