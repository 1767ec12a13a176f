"""Limits for JSON from strangers, against what Python's parser finds."""

from __future__ import annotations

import json

import numpy as np
import pytest

from learnt.data.files.text.json_bounds import DEEPEST, Keys, depth_of, is_deep
from learnt.errors import FileError


def depth(value) -> int:
    """By walking what the parser made."""
    if isinstance(value, dict):
        return 1 + max(map(depth, value.values()), default=0)
    return 1 + max(map(depth, value), default=0) if isinstance(value, list) else 0


def nested(rng, levels: int):
    if not levels:
        return rng.choice(["[[", "}{", 'say "[{"', "\\", 5])
    inner = [nested(rng, levels - 1) for _ in range(rng.integers(1, 3))]
    return inner if rng.random() < 0.5 else {f"k{i}": cell for i, cell in enumerate(inner)}


@pytest.mark.parametrize("seed", range(20))
def test_depth_is_that_of_the_parsed_value(seed):
    rng = np.random.default_rng(seed)
    text = json.dumps(nested(rng, int(rng.integers(0, 6))), default=lambda x: x.item())
    assert depth_of(text.encode()) == depth(json.loads(text))


def test_one_deep_object_among_many_is_seen():
    flat = b'{"a": "[[[[", "b": [1]}\n' * 1000
    assert not is_deep(flat)
    assert is_deep(flat + b"[" * (DEEPEST + 1) + b"]" * (DEEPEST + 1) + b"\n")
    assert not is_deep(flat + b"[" * DEEPEST + b"]" * DEEPEST + b"\n")


def test_blocks_are_cut_until_their_keys_fit_and_lose_no_line(monkeypatch):
    monkeypatch.setattr("learnt.data.files.text.json_bounds.MOST_CELLS", 50)
    block = b"".join(json.dumps({f"k{i % 10}": i}).encode() + b"\n" for i in range(40))
    parts = list(Keys("t").narrow_blocks(block))
    assert b"".join(parts) == block
    assert max(part.count(b"\n") for part in parts) <= 5


def test_other_keys_in_every_object_are_an_error(monkeypatch):
    monkeypatch.setattr("learnt.data.files.text.json_bounds.MOST_KEYS", 30)
    block = b"".join(json.dumps({f"k{i}": i}).encode() + b"\n" for i in range(40))
    with pytest.raises(FileError, match="40 different keys"):
        list(Keys("t").narrow_blocks(block))
