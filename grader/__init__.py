"""An auto-graded exercise framework for teaching PyTorch.

The package holds no answer to any question, so it can be installed on a student's machine as it is.
"""

__version__ = "0.1.0"
