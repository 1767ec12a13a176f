"""Tables with a column of free text, made up: what a text says of the target is known."""

from __future__ import annotations

from typing import Any

import numpy as np

GOOD = ["great", "lovely", "excellent", "wonderful"]
BAD = ["awful", "broken", "refund", "terrible"]
PLAIN = ["box", "came", "with", "blue", "kitchen", "summer", "price", "delivery", "it", "the", "and", "was"]


def reviews(n: int = 120, seed: int = 0, filler: list[str] | None = None) -> tuple[dict[str, Any], np.ndarray]:
    """Columns `review`, `price` and `shop`, and labels that a word in most reviews goes with."""
    rng = np.random.default_rng(seed)
    happy = rng.integers(0, 2, n).astype(bool)
    texts = []
    for yes in happy:
        words = list(rng.choice(PLAIN if filler is None else filler, 8))
        if rng.random() < 0.8:
            words.append(str(rng.choice(GOOD if yes else BAD)))
        texts.append(" ".join(rng.permutation(words)))
    table = {
        "review": texts,
        "price": (rng.normal(size=n) + 0.5 * happy).round(3).tolist(),
        "shop": rng.choice(["north", "south", "web"], n).tolist(),
    }
    return table, np.where(happy, "kept", "returned")


def rows(table: dict[str, Any], places: Any) -> dict[str, Any]:
    """Some rows of it."""
    return {name: [cells[i] for i in places] for name, cells in table.items()}
