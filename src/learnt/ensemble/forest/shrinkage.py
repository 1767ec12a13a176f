"""How far leaves are drawn towards the nodes above them, chosen by rows that trees have not drawn.

A leaf of one row says that the other classes are impossible; a forest of such leaves is right about the order of its
answers and far too sure of them. A few trees from a sample of the rows tell how much less they should say: each
shrinkage is tried on the same trees, by the log loss or the squared error of the rows out of bag.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from learnt.data.table import Array
from learnt.ensemble.forest.growth import Coded, Growth, OutOfBagSums, grow
from learnt.statistics.sample import hash_rows, smallest_keys

#: In weights of a mean row. Leaves of classes are always shrunk a little: out of bag no row may have told that a class
#: which a leaf calls impossible is not, and one such answer costs more than all the others.
CANDIDATES = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
LEAST_OF_CLASSES = 0.25
#: On 24 tables 500 rows chose as well as 1,000 and 2,000, and 40 trees nearly as well as 100.
TRIAL_ROWS = 500
TRIAL_TREES = 60
_LEAST_SHARE = 1e-15  # of a class that no tree has seen


def sampled(coded: Coded) -> Coded:
    """At most `TRIAL_ROWS` of the rows that count."""
    there = np.arange(coded.n_rows) if coded.weights is None else np.flatnonzero(coded.weights)
    if len(there) <= TRIAL_ROWS:
        return coded
    rows = there[smallest_keys(hash_rows(0, 0, coded.n_rows)[there], TRIAL_ROWS)]
    weights = None if coded.weights is None else coded.weights[rows]
    codes = np.ascontiguousarray(coded.codes[:, rows])
    return replace(coded, codes=codes, target=coded.target[rows], weights=weights, given=None)


def chosen_shrinkage(few: Coded, growth: Growth, factors: Array | None) -> float:
    """The best of the candidates for trees so grown from these rows, as a weight."""
    tried = np.array([c for c in CANDIDATES if growth.n_classes == 0 or c >= LEAST_OF_CLASSES])
    tried *= few.weight_with(factors) / few.n_rows
    if len(few.varying) == 0:
        return float(tried[0])
    said = OutOfBagSums.of(few, growth.n_classes, tried)
    grow(few, replace(growth, bootstrap=True), TRIAL_TREES, class_factors=factors, out_of_bag=said)
    covered = said.trees > 0
    if not covered.any():
        return float(tried[0])
    answers, target = said.means()[covered], few.target[covered]
    weights = np.ones(len(target)) if few.weights is None else few.weights[covered]
    if growth.n_classes == 0:
        size = float(np.abs(answers - target[:, None]).max()) or 1.0  # squares neither overflow nor vanish
        losses = ((answers - target[:, None]) / size) ** 2
    else:
        losses = -np.log(np.maximum(answers, _LEAST_SHARE))
        weights = weights if factors is None else weights * factors[target]
    return float(tried[(weights @ losses).argmin()])
