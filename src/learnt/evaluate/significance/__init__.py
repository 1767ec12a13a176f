"""Significance: which differences between scores are more than chance, and what cannot be concluded.

Names are imported on first use.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
