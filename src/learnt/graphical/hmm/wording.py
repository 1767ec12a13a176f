"""How states and labels are written in tables."""

from __future__ import annotations

from typing import Any

from learnt.show.words import label, short_name


def name_text(value: Any) -> str:
    """A state or a label without quotes: in a table it stands alone."""
    return short_name(value, 24) if isinstance(value, str) else label(value)
