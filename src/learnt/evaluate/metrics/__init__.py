"""Metrics of answers, probabilities and numbers, and intervals for them.

The functions have scikit-learn's names and settings where it has them, and give its numbers. Names are
imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
