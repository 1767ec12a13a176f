"""The Bayesian correlated t-test: how probable is it that one learner is better, worse, or practically the same?"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.evaluate.significance.result import left_out
from learnt.evaluate.significance.scores import check_test, deviation, pair_differences
from learnt.learner.parameters import Real
from learnt.show.html import html_lines
from learnt.show.numbers import number
from learnt.show.words import printable


@dataclass(frozen=True)
class BayesianTest:
    """Three probabilities that add to 1, from the posterior of the mean difference.

    | field | meaning |
    |---|---|
    | `first_higher`, `equivalent`, `second_higher` | that the difference lies above, within, below the region |
    | `rope` | the region of practical equivalence is −rope … rope |
    | `mean`, `scale`, `degrees_of_freedom` | the posterior of the difference, a Student distribution |
    | `rho` | the correlation of fold scores that was assumed |
    | `n`, `names`, `caveat` | how many pairs, of whom, and what to mind |
    """

    first_higher: float
    equivalent: float
    second_higher: float
    rope: float
    mean: float
    scale: float
    degrees_of_freedom: int
    rho: float
    n: int
    names: tuple[str, str]
    caveat: str = ""

    @property
    def words(self) -> str:
        """Whichever of the three has probability 0.95 or more; otherwise that none has."""
        one, other = map(printable, self.names)
        if self.equivalent >= 0.95:
            return f"In practice {one} and {other} are the same: {number(self.equivalent)} probable."
        if self.first_higher >= 0.95:
            return f"That {one} is higher than {other} by more than {number(self.rope)} is {_sure(self.first_higher)}."
        if self.second_higher >= 0.95:
            return f"That {one} is lower than {other} by more than {number(self.rope)} is {_sure(self.second_higher)}."
        return "None of the three is 0.95 probable: the scores do not decide. More folds, or more rows, might."

    def density(self, difference: Any) -> Array:
        """The posterior density of the mean difference at these values; 0 everywhere if it has no spread."""
        x = np.asarray(difference, dtype=np.float64)
        df = self.degrees_of_freedom
        if self.scale == 0 or df < 1:
            return np.zeros_like(x)
        log = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - 0.5 * math.log(df * math.pi) - math.log(self.scale)
        density: Array = np.exp(log - (df + 1) / 2 * np.log1p(((x - self.mean) / self.scale) ** 2 / df))
        return density

    def _lines(self) -> list[str]:
        one, other = map(printable, self.names)
        lines = [
            f"Bayesian correlated t-test: difference {number(self.mean)}, practically the same within ±"
            f"{number(self.rope)}",
            f"P({one} higher) = {number(self.first_higher)}, P(same) = {number(self.equivalent)}, "
            f"P({other} higher) = {number(self.second_higher)}",
            self.words,
        ]
        return [*lines, f"Mind: {self.caveat}"] if self.caveat else lines

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        return html_lines(self._lines())

    def to_dict(self) -> dict[str, Any]:
        """All fields and `words` as JSON has them."""
        from learnt.evaluate.comparison.records import finite

        record: dict[str, Any] = finite(asdict(self) | {"words": self.words})
        return record

    def plot(self, ax: Any = None) -> Any:
        """Draw the posterior with the region of practical equivalence; returns the matplotlib axes."""
        from learnt.plot.resampling import plot_posterior_difference

        return plot_posterior_difference(self, ax)


def bayesian_t_test(
    first: Any,
    second: Any,
    *,
    rho: float | None = None,
    rope: float = 0.01,
    names: tuple[str, str] = ("the first", "the second"),
) -> BayesianTest:
    """How probable it is that two learners differ by more than `rope`, from scores on the same folds.

        μ | d ~ Student(n − 1, d̄, (1/n + ρ/(1−ρ)) · s²)

    | setting | default | meaning |
    |---|---|---|
    | `rho` | None | correlation of fold scores: the share of rows in a test fold, 1/k for k folds. None: 1/n |
    | `rope` | 0.01 | differences up to this size do not matter, in units of the score |

    Give `rho` when folds are repeated: 0.1 for ten times ten folds, not 1/100.

    >>> print(bayesian_t_test([0.81, 0.79, 0.84, 0.80], [0.78, 0.77, 0.80, 0.79], names=("tree", "bayes")))
    Bayesian correlated t-test: difference 0.025, practically the same within ±0.01
    P(tree higher) = 0.8872, P(same) = 0.09372, P(bayes higher) = 0.01905
    None of the three is 0.95 probable: the scores do not decide. More folds, or more rows, might.

    Reference: A. Benavoli, G. Corani, J. Demšar, M. Zaffalon, Time for a change, JMLR 18, 2017.
    """
    from scipy.special import stdtr

    d, dropped = pair_differences(first, second)
    n = len(d)
    check_test("bayesian_t_test", alpha=0.05, rope=(Real(0), rope))
    if n < 2:
        raise InputError(
            f"There are {n} pairs of scores. Expected two at least: one difference says nothing about its spread."
        )
    rho = 1 / n if rho is None else rho
    check_test("bayesian_t_test", alpha=0.05, rho=(Real(0, below=1), rho))
    scale_of_scores = float(max(np.nanmax(np.abs(np.asarray(s, dtype=np.float64))) for s in (first, second)))
    s, mean = deviation(d, scale_of_scores), float(d.mean())
    scale = s * math.sqrt(1 / n + rho / (1 - rho))
    if scale > 0:
        below, above = float(stdtr(n - 1, (-rope - mean) / scale)), float(stdtr(n - 1, (mean - rope) / scale))
        same = max(0.0, 1 - below - above)
    else:  # the posterior sits on one value
        above, below = float(mean > rope), float(mean < -rope)
        same = 1 - above - below
    flat = "" if s else "All differences are equal, so that the posterior is more certain than so few numbers can be."
    caveat = " ".join(filter(None, [flat, left_out(dropped)]))
    return BayesianTest(above, same, below, rope, mean, scale, n - 1, rho, n, names, caveat)


def _sure(p: float) -> str:
    return f"{number(p)} probable" if p < 0.99995 else "all but certain"
