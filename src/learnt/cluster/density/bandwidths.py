"""How wide kernels shall be: by rules of thumb, or by what each row says about the others."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace

import numpy as np

from learnt.cluster.density.sums import Sums, mean_and_spread
from learnt.cluster.left_out import left_out_likelihood, merge_copies, ties_of
from learnt.data.table import Array, Table
from learnt.errors import convergence_warning
from learnt.statistics.sample import sample_places
from learnt.watch import report

#: Multiples of Scott's bandwidth that cross-validation tries first.
FACTORS = np.geomspace(0.03, 4.0, 18)

#: Rows whose likelihood is added up, at most, and how exactly.
_ROWS, _RTOL = 4000, 1e-4


def rule_of_thumb(table: Table, weights: Array | None, rule: str) -> Array:
    """For each column its bandwidth: of numbers spread · factor, of labels (c − 1)/c · factor² away from the own.

        scott       n^(−1/(p+4))
        silverman   (n (p + 2)/4)^(−1/(p+4))

    A column that never varies gets 0: it is left out.
    """
    spreads = [0.0 if c.schema.coded else mean_and_spread(c, weights)[1] for c in table.columns]
    labels = [len(np.unique(c.values[c.values >= 0])) if c.schema.coded else 0 for c in table.columns]
    n = table.n_rows if weights is None else float(weights.sum())
    p = sum(s > 0 for s in spreads) + sum(k > 1 for k in labels)
    factor = (n if rule == "scott" else n * (p + 2) / 4) ** (-1 / (p + 4))
    return np.array(
        [_width(c.schema.coded, s, k, factor) for c, s, k in zip(table.columns, spreads, labels, strict=True)]
    )


def _width(coded: bool, spread: float, labels: int, factor: float) -> float:
    if not coded:
        return spread * factor
    return min(1.0, factor**2) * (labels - 1) / labels if labels > 1 else 0.0


def scaled(width: Array, table: Table, factor: float) -> Array:
    """Bandwidths so many times as large; of labels by the square, and no more than as if by chance."""
    coded = np.array([c.coded for c in table.schema])
    most = np.array([(k - 1) / k if (k := len(c.categories)) > 1 else 1.0 for c in table.schema])
    return np.where(coded, np.minimum(width * factor**2, most), width * factor)


def by_cross_validation(sums: Sums) -> tuple[Array, Array, Array]:
    """The best multiple of the bandwidths in `sums`; the multiples tried and the likelihood of each."""
    ties = ties_of(sums)
    if ties.copied:
        sums = merge_copies(sums)
    n = sums.table.n_rows
    rows = sample_places(n, _ROWS, 0)
    tried: dict[float, float] = {}

    def widened(factor: float) -> Array:
        return np.maximum(scaled(sums.width, sums.table, factor), ties.least)

    def judge(factor: float) -> float:
        if factor not in tried:
            width = widened(factor)
            tried[factor] = left_out_likelihood(replace(sums, width=width, rtol=_RTOL), rows, ties.copied)
            report("bandwidth", learner="KernelDensity", iteration=len(tried), objective=tried[factor], factor=factor)
        return tried[factor]

    scores = np.array([judge(float(f)) for f in FACTORS])
    if not np.isfinite(scores).any():  # no row can be judged by others
        return sums.width, FACTORS, scores
    best = int(scores.argmax())
    if best == 0 and not ties.steps.any():
        warnings.warn(
            convergence_warning(
                "The smallest bandwidth tried is the best: many rows have neighbours that are all but copies, and say "
                "most about those. Take bandwidth='scott', or a number."
            ),
            stacklevel=2,
        )
    low, high = math.log(FACTORS[max(0, best - 1)]), math.log(FACTORS[min(len(FACTORS) - 1, best + 1)])
    golden = (math.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    for _ in range(10):
        if judge(math.exp(left)) >= judge(math.exp(right)):
            high, right = right, left
            left = high - golden * (high - low)
        else:
            low, left = left, right
            right = low + golden * (high - low)
    factors = np.array(sorted(tried))
    likelihoods = np.array([tried[float(f)] for f in factors])
    return widened(float(factors[likelihoods.argmax()])), factors, likelihoods
