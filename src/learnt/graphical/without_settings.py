"""What models made by hand share: they are what was added to them, and have no settings."""

from __future__ import annotations

from typing import Any

from learnt.lazy import is_cached


class WithoutSettings:
    """How such a model is copied, pickled and saved."""

    def __getstate__(self) -> dict[str, Any]:
        """All but what a `cached_property` can make again."""
        return {name: value for name, value in self.__dict__.items() if not is_cached(type(self), name)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """None: the model is what was added to it."""
        return {}

    def __sklearn_is_fitted__(self) -> bool:
        return True
