"""Growing an alternating tree: each round hangs one test below one of the prediction nodes, wherever it helps most.

value = ½·ln((W₊ + ε)/(W₋ + ε))        w ← w·e^(−y·value) for the rows that reach the node
"""

from __future__ import annotations

import math

import numpy as np

from learnt.data.table import Array
from learnt.tree.alternating.arrays import AlternatingTree
from learnt.tree.alternating.searching import Columns, Test

#: Changes of Z nearer than this part of all weight are equal: the first is taken.
EQUAL = 1e-9


def grow_alternating(columns: Columns, positive: Array, weights: Array, rounds: int, epsilon: float) -> AlternatingTree:
    """The tree that tells the rows `positive` (booleans) from the others."""
    return _Growth(columns, positive, weights, epsilon).run(rounds)


class _Growth:
    """The nodes so far, the rows that reach them, the weights of the rows, and the best test below each node."""

    def __init__(self, columns: Columns, positive: Array, weights: Array, epsilon: float):
        self.columns, self.positive, self.epsilon, self.start = columns, positive, epsilon, weights
        self.weights = weights.copy()
        self.reach = [np.ones(len(weights), dtype=bool)]
        self.value = [self._update(self.reach[0])]
        self.tests: list[tuple[int, Test]] = []
        self.gain: list[float] = []
        self.places: dict[tuple[int, int, float, int], int] = {}
        self.best: dict[int, Test | None] = {}

    def run(self, rounds: int) -> AlternatingTree:
        for _ in range(rounds):
            total = float(self.weights.sum())
            found = self._find(EQUAL * total)
            # A test that tells nothing changes Z by 4ε, by smoothing alone.
            if found is None or found[1].change >= 4 * self.epsilon - EQUAL * total:
                break
            self._hang(*found, total)
        return self._arrays()

    def _find(self, equal: float) -> tuple[int, Test] | None:
        """The best test of all; of equal ones that below the first node."""
        plus = np.where(self.positive, self.weights, 0.0)
        minus = np.where(self.positive, 0.0, self.weights)
        known = [test.change for test in self.best.values() if test is not None]
        least = min(known, default=math.inf)
        for bound, i in sorted((self._bound(i), i) for i in range(len(self.reach)) if i not in self.best):
            if bound > least + equal:
                break
            test = self.best[i] = self.columns.best_test(self.reach[i], plus, minus, self.epsilon, equal)
            least = min(least, math.inf if test is None else test.change)
        found = [(i, test) for i in range(len(self.reach)) if (test := self.best.get(i)) is not None]
        if not found:
            return None
        return next(pair for pair in found if pair[1].change <= least + equal)

    def _bound(self, i: int) -> float:
        """No test below the node changes Z by less: such a one would tell all of its rows apart."""
        here, epsilon = self.reach[i], self.epsilon
        plus, minus = (float(self.weights[here & side].sum()) for side in (self.positive, ~self.positive))
        apart = math.sqrt((plus + epsilon) * epsilon) + math.sqrt((minus + epsilon) * epsilon)
        return 2 * apart - (plus + minus)

    def _hang(self, above: int, test: Test, total: float) -> None:
        """Two new prediction nodes; a test that hangs there already gets its values corrected instead."""
        key = (above, test.column, -1.0 if math.isnan(test.threshold) else test.threshold, test.code)
        sides = self._sides(above, test)
        values = [self._update(here) for here in sides]
        gain = (4 * self.epsilon - test.change) / total
        known = self.places.get(key)
        if known is not None:
            self.gain[known] += gain
            for side, value in enumerate(values):
                self.value[2 * known + 1 + side] += value
        else:
            self.places[key] = len(self.tests)
            self.tests.append((above, test))
            self.gain.append(gain)
            self.reach += sides
            self.value += values
        changed = sides[0] | sides[1]
        self.best = {i: test for i, test in self.best.items() if not np.any(self.reach[i] & changed)}

    def _sides(self, above: int, test: Test) -> list[Array]:
        here, columns = self.reach[above], self.columns
        if test.code >= 0:
            cells = columns.codes[test.column]
            return [here & (cells == test.code), here & (cells >= 0) & (cells != test.code)]
        cells = columns.cells[columns.numeric.index(test.column)]
        return [here & (cells <= test.threshold), here & (cells > test.threshold)]

    def _update(self, here: Array) -> float:
        """The value of a node that these rows reach; they weigh less where it is right, more where it is wrong."""
        plus = float(self.weights[here & self.positive].sum())
        minus = float(self.weights[here & ~self.positive].sum())
        value = 0.5 * (math.log(plus + self.epsilon) - math.log(minus + self.epsilon))
        factor = np.where(self.positive, math.exp(-value), math.exp(value))
        self.weights[here] *= factor[here]
        return value

    def _arrays(self) -> AlternatingTree:
        tests = [test for _, test in self.tests]
        return AlternatingTree(
            np.array([above for above, _ in self.tests], np.int32),
            np.array([test.column for test in tests], np.int32),
            np.array([test.threshold for test in tests], np.float64),
            np.array([test.code for test in tests], np.int32),
            np.array(self.gain, np.float64),
            np.array(self.value, np.float64),
            np.array([self.start[here].sum() for here in self.reach], np.float64),
        )
