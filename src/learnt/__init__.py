"""learnt: classical machine learning on tables. Any columns in, every prediction explained."""

# The public names stand once, in __init__.pyi, where type checkers and editors read them too. They are imported on
# first use.
import lazy_loader

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
