"""learnt: classical machine learning on tables. Any columns in, every prediction explained."""

# The public names stand once, in __init__.pyi, where type checkers and editors read them too. They are imported on
# first use.
import lazy_loader

__version__ = "0.1.0"

_find, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)


def __getattr__(name):
    if name in __all__ or name.startswith("_"):
        return _find(name)
    from learnt.learner.other_names import suggestion

    hint = suggestion(name, __all__)
    raise AttributeError(f"module 'learnt' has no attribute {name!r}. {hint}".rstrip())
