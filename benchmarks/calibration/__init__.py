"""What is calibrated: groups of tests and intervals, each with the data it is tried on.

A group draws data of which the truth is known and asks for everything that can be asked of them. A *test* answers with
its p-value, where there is nothing to be found; an *interval* with whether it holds the truth.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

ALPHA = 0.05
#: How often everything is tried.
RUNS = 20_000
#: What an answer is: arrays of p-values (floats) or of whether an interval held the truth (booleans), one per run.
Answers = dict[str, np.ndarray]
Play = Callable[[np.random.Generator, int, int], Answers]


@dataclass(frozen=True)
class Group:
    """Data and what is asked of them.

    | field | meaning |
    |---|---|
    | `null` | what is drawn, in words |
    | `sizes` | the numbers n of rows, scores or data sets |
    | `play` | generator, n, runs → answers |
    | `known` | of what is outside the band by its nature: why, in a few words |
    | `reachable` | of discrete tests: the level that can be reached at n, computed, not simulated |
    """

    null: str
    sizes: tuple[int, ...]
    play: Play
    known: Mapping[str, str] = field(default_factory=dict)
    reachable: Mapping[str, Callable[[int], float]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.play.__name__


GROUPS: list[Group] = []


def group(null: str, sizes: tuple[int, ...] = (30, 100, 1000), **more: object) -> Callable[[Play], Play]:
    """Enter a function that answers for many runs at once."""

    def enter(play: Play) -> Play:
        GROUPS.append(Group(null, sizes, play, **more))  # type: ignore[arg-type]
        return play

    return enter


def one_by_one(single: Callable[[np.random.Generator, int], dict[str, float | bool]]) -> Play:
    """A function of many runs from one that answers for a single run."""

    def play(rng: np.random.Generator, n: int, times: int) -> Answers:
        rows = [single(rng, n) for _ in range(times)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    play.__name__, play.__module__ = single.__name__, single.__module__
    return play


def holds(interval: object, truth: float) -> bool:
    """Whether an interval, anything that unpacks to low and high, holds the truth."""
    low, high = interval  # type: ignore[misc]
    return bool(low <= truth <= high)
