"""What tests of rotations share."""

from __future__ import annotations

import pytest


class Item:
    """What a rotation asks of a test."""

    def __init__(self, nodeid: str, *marks: pytest.MarkDecorator):
        self.nodeid, self.marks = nodeid, {mark.name: mark for mark in marks}

    def get_closest_marker(self, name: str):
        return self.marks.get(name)
