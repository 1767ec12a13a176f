"""Small sound tables, with targets, that learners of every kind can be fitted to."""

from __future__ import annotations

from typing import Any

ROWS: dict[str, Any] = {
    "mixed": {
        "age": [31.0, None, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "town": ["Bern", "Basel", None, "Bern", "Zürich", "Basel", "Zürich", "Bern"],
        "member": [True, False, True, True, None, False, True, False],
    },
    "numbers": {
        "age": [31.0, 7.0, 45.0, 28.5, 60.0, 33.0, 52.0, 19.0],
        "size": [1.0, 2.0, 0.0, 3.0, 1.0, 2.0, 5.0, 0.0],
    },
    "texts": ["red apple", "green pear", "Grüne Birne", None, "apple wine", "a pear", "two pears", "red wine"],
}
TARGETS = {
    "classes": ["no", "yes", "yes", "no", "yes", "maybe", "yes", "no"],
    "numbers": [1.0, 2.5, 3.0, 0.5, 4.0, 2.0, 3.5, 0.25],
}


def entry_rows(entry: Any) -> str:
    """Which of the tables a learner is meant for."""
    if "text" in entry.abilities:
        return "texts"
    return "mixed" if {"nominal", "missing"} <= entry.abilities else "numbers"


def fitting_settings(entry: Any) -> dict[str, Any]:
    """Settings that suit so few rows."""
    few = {"n_clusters": 2, "n_components": 2, "min_samples_leaf": 1}
    if entry.task == "transformation":
        del few["min_samples_leaf"]
    return {name: value for name, value in few.items() if name in entry.cls.domains}
