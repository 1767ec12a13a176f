"""How far scores of the same rows may be off: their joint sampling error.

Scores of K learners on the same rows are estimates, and their errors hang together: a hard row is hard for all of
them. `SamplingErrors` holds the scores with the covariance of their errors, from which follow the interval of one, the
test of two, and the set that may hold the best. The covariance comes from what each row contributes to each score
(`from_rows`) or from scores of rows drawn anew (`from_replicates`).

Models of a cross-validation share most of their training rows, so that what rows say about the *test* is only half of
the story: variances are stretched by 1 + k·n_test/n_train, for ten folds 2.11, as Nadeau and Bengio do with the k
scores of folds. Rows instead of folds leave n − 1 degrees of freedom instead of k − 1, which is where the power comes
from.

Maxima over many comparisons are judged by the multiplier bootstrap: rows times independent normal numbers give, given
the rows, errors that are exactly normal with this very covariance, so they are drawn from it without touching the rows
again, and divided by the root of a χ² so that few rows have the tails of Student's t.

Reference: C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003; V. Chernozhukov,
D. Chetverikov, K. Kato, Gaussian approximations and multiplier bootstrap for maxima of sums of high-dimensional random
vectors, Annals of Statistics 41, 2013.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from learnt.data.table import Array

#: Draws from which critical values of maxima are read. At 10,000 the level .05 is met to ± .002.
DRAWS = 10_000
#: A lead of less than this share of a score's standard error is none. Learners that answer nearly alike, such as least
#: squares with and without a small penalty, differ by next to nothing and with hardly any variance, so that a
#: difference nobody could notice would be proved.
NEGLIGIBLE = 0.05
#: A variance below this share of the larger of two is rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class SamplingErrors:
    """Scores, more being better, the covariance of their errors, and the independent units behind them.

    | field | meaning |
    |---|---|
    | `scores` | of each learner, turned so that more is better |
    | `covariance` | of the errors of the scores, stretched for training rows that folds share |
    | `units` | rows, or groups of rows, that were tested: one less is the degrees of freedom |
    | `effective` | how many rows that were drawn and answered independently would tell as much |
    """

    scores: Array
    covariance: Array
    units: int
    effective: float

    @classmethod
    def from_rows(cls, scores: Array, contributions: Array, stretch: float, lost: int = 1) -> SamplingErrors:
        """From units × learners, where each column sums to the error of a score; `lost` degrees went into means."""
        units = len(contributions)
        covariance = contributions.T @ contributions * (stretch * units / max(units - lost, 1))
        return cls(np.asarray(scores, np.float64), covariance, units, units / stretch)

    @classmethod
    def from_replicates(cls, scores: Array, replicates: Array, stretch: float, units: int) -> SamplingErrors:
        """From draws × learners: scores of rows drawn anew."""
        covariance = np.atleast_2d(np.cov(replicates, rowvar=False)) * stretch
        return cls(np.asarray(scores, np.float64), covariance, units, units / stretch)

    @property
    def degrees_of_freedom(self) -> int:
        return max(self.units - 1, 1)

    @cached_property
    def standard_errors(self) -> Array:
        """Of each score alone."""
        errors: Array = np.sqrt(np.maximum(np.diagonal(self.covariance), 0))
        return errors

    @cached_property
    def differences(self) -> Array:
        """How much better the learner of the row is than that of the column; 0 where it is a hair's breadth."""
        found: Array = self.scores[:, None] - self.scores[None, :]
        scale = np.maximum(np.abs(self.scores)[:, None], np.abs(self.scores)[None, :])
        sure = np.minimum(self.standard_errors[:, None], self.standard_errors[None, :])
        found[np.abs(found) <= np.maximum(ROUNDING * scale, NEGLIGIBLE * sure)] = 0.0
        return found

    @cached_property
    def of_differences(self) -> Array:
        """The standard error of each difference; 0 for learners that answer alike.

        Where all rows differ by the same amount their variance is 0, which would make two rows a proof: there the
        amount itself stands for the spread, as if as many rows again had not differed at all.
        """
        own = np.diagonal(self.covariance)
        variance = own[:, None] + own[None, :] - 2 * self.covariance
        floor = ROUNDING * np.maximum(own[:, None], own[None, :])
        alike = variance <= floor
        spread: Array = np.sqrt(np.maximum(variance, 0))
        spread[alike] = np.abs(self.differences[alike]) / np.sqrt(self.units)
        np.fill_diagonal(spread, 0.0)
        return spread

    @cached_property
    def statistics(self) -> Array:
        """Differences over their standard errors; 0 where both are 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            t: Array = np.where(self.of_differences > 0, self.differences / self.of_differences, 0.0)
        return t

    @cached_property
    def _draws(self) -> Array:
        """Errors of the scores as chance would have them, jointly: multivariate t."""
        rng = np.random.default_rng(20031997)
        values, vectors = np.linalg.eigh((self.covariance + self.covariance.T) / 2)
        root = vectors * np.sqrt(np.maximum(values, 0))
        normal = rng.standard_normal((DRAWS, len(self.scores))) @ root.T
        freedom = self.degrees_of_freedom
        drawn: Array = normal / np.sqrt(rng.chisquare(freedom, DRAWS) / freedom)[:, None]
        return drawn

    def _studentized(self, i: int) -> Array:
        """Drawn differences of every learner to learner i, each over its standard error; draws × learners."""
        error = self.of_differences[i]
        gap = self._draws - self._draws[:, [i]]
        found: Array = np.divide(gap, error, out=np.zeros_like(gap), where=error > 0)
        return found

    @cached_property
    def largest(self) -> Array:
        """The largest |t| of all pairs, draw by draw: sorted."""
        found = np.zeros(DRAWS)
        for i in range(len(self.scores)):
            np.maximum(found, np.abs(self._studentized(i)[:, i:]).max(axis=1, initial=0), out=found)
        return np.sort(found)

    def adjusted_p_value(self, t: float) -> float:
        """The chance that the largest |t| of all pairs is as large as this one, if nobody differs."""
        if not t:
            return 1.0
        beyond = DRAWS - int(np.searchsorted(self.largest, abs(t), "left"))
        return max((beyond + 1) / (DRAWS + 1), self.p_value(t))

    def p_value(self, t: float) -> float:
        """Of one difference alone, two-tailed."""
        from scipy.special import stdtr

        return 2 * float(stdtr(self.degrees_of_freedom, -abs(t)))

    def may_be_best(self, alpha: float = 0.05) -> Array:
        """Which learners may be the best: all but those that some other is shown to beat.

        Learner i is left out where max_j t_ji, over all others j, exceeds what it does in a share α of all samples in
        which nobody is better than i. The best of all is in the set with probability 1 − α, whoever it is, and the
        learner with the best score always. J. Hsu, Multiple comparisons, 1996, chapter 4; S. Gupta, 1965.
        """
        from scipy.special import stdtrit

        k = len(self.scores)
        found = np.ones(k, dtype=bool)
        alone = float(stdtrit(self.degrees_of_freedom, 1 - alpha))
        for i in range(k):
            against = self.statistics[:, i]
            highest = float(against.max(initial=0.0))
            if highest > 0:
                together = float(np.quantile(self._studentized(i).max(axis=1), 1 - alpha))
                found[i] = highest <= max(together, alone)  # where rows do not vary, nor do draws
        return found
