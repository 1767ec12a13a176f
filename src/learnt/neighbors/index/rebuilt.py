"""Indexes whose compiled part is built again, not stored."""

from __future__ import annotations

from typing import Any, ClassVar


class Rebuilt:
    """Members write `_build`, which sets the attribute that `built` names from all the others."""

    built: ClassVar[str]

    def _build(self) -> None:
        raise NotImplementedError

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != self.built}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._build()
