"""Which of several learners, scored on the same folds, can be told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.evaluate.significance.correction import adjust
from learnt.evaluate.significance.letters import cliques, letters
from learnt.evaluate.significance.ranks import ranks_by_row
from learnt.evaluate.significance.sampling import SamplingErrors
from learnt.evaluate.significance.scores import (
    ROUNDING,
    check_test,
    deviation,
    score_array,
    test_to_train,
    without_rounding,
)
from learnt.evaluate.significance.t_tests import mean_test
from learnt.learner.parameters import Real
from learnt.show.numbers import number, percent
from learnt.show.text_table import aligned
from learnt.show.words import list_of, printable, spell

MOST_NAMED = 6


@dataclass(frozen=True)
class Pair:
    """Two learners compared on the rows, or on the folds, that both were scored on.

    `difference` is how much better `better` is on average, in the units of the metric, with its confidence interval
    `low` … `high` (not adjusted for the number of pairs). `adjusted_p_value` takes all pairs together: by the largest
    statistic of them all where rows were compared, by Holm's method where folds were.
    """

    better: str
    worse: str
    difference: float
    low: float
    high: float
    statistic: float
    p_value: float
    adjusted_p_value: float
    folds: int
    significant: bool
    note: str = ""


@dataclass(frozen=True, eq=False)
class Ties:
    """Which learners differ, and which may be the best.

    | field | meaning |
    |---|---|
    | `names`, `means` | the learners, best first, and their mean scores |
    | `pairs` | every pair with its test, p-values adjusted for all pairs together |
    | `letters` | learners that share a letter are not significantly different |
    | `groups` | the learners of each letter |
    | `with_best` | by rows: those that may be the best; by folds: the best and all not significantly worse |
    | `by` | "rows": losses compared row by row; "folds": one score per fold |
    | `errors` | by rows: the scores with the covariance of their errors |
    | `ranks` | the mean rank of each learner over the folds all were scored on, 1 is best |
    | `wins`, `ties`, `losses` | on how many folds the learner of the row beats, equals, loses to that of the column |
    | `better` | whether the learner of the row is significantly better than that of the column |
    | `untested` | learners with fewer than two scores, of which nothing can be said |
    """

    names: tuple[str, ...]
    means: dict[str, float]
    pairs: tuple[Pair, ...]
    letters: dict[str, str]
    groups: tuple[tuple[str, ...], ...]
    with_best: tuple[str, ...]
    ranks: dict[str, float]
    wins: Array
    ties: Array
    losses: Array
    better: Array
    untested: tuple[str, ...]
    higher_is_better: bool
    alpha: float
    practical: float
    by: Literal["rows", "folds"] = "folds"
    errors: SamplingErrors | None = None

    def pair(self, one: str, other: str) -> Pair:
        """The comparison of two learners, in whichever order."""
        for pair in self.pairs:
            if {pair.better, pair.worse} == {one, other}:
                return pair
        raise ParameterError(
            f"There is no pair of {spell(one)} and {spell(other)}. Expected two of {', '.join(self.letters)}."
        )

    def better_than(self, name: str) -> tuple[str, ...]:
        """The learners that are significantly better than this one, all pairs taken together as for the letters."""
        return tuple(pair.better for pair in self.pairs if pair.worse == name and pair.significant)

    def record(self, name: str) -> tuple[int, int, int]:
        """How many others this learner is significantly better than, tied with, and significantly worse than."""
        if name not in self.names:
            raise ParameterError(f"There is no learner {name!r}. Expected one of {', '.join(map(repr, self.names))}.")
        i = self.names.index(name)
        won, lost = int(self.better[i].sum()), int(self.better[:, i].sum())
        return won, len(self.names) - 1 - won - lost, lost

    @property
    def words(self) -> str:
        """What can be concluded, and what cannot."""
        if not self.names:
            return "No learner has scores on two folds or more, so nothing can be concluded."
        best = _printable_name(self.names[0])
        if len(self.names) == 1:
            return f"Only {best} was scored, so there is nothing to compare it with."
        return self._of_rows(best) if self.by == "rows" else self._of_folds(best)

    def _of_rows(self, best: str) -> str:
        """The set that holds the best, whoever it is, in 1 − α of all samples."""
        sure = percent(1 - self.alpha)
        others = [_printable_name(name) for name in self.with_best if name != self.names[0]]
        if not others:
            return f"{best} is the best of the {len(self.names)} (at {sure} confidence)."
        if len(others) == len(self.names) - 1:
            return f"Any of the {len(self.names)} may be the best (at {sure} confidence); {best} has the best score."
        who = list_of(others, "or") if len(others) <= MOST_NAMED else f"one of {len(others)} others"
        behind = len(self.names) - len(others) - 1
        rest = f"the other {behind} are" if behind > 1 else f"{_printable_name(self._behind()[0])} is"
        return (
            f"{best} has the best score; the best may also be {who} (at {sure} confidence), while {rest} shown to be "
            "worse than the best."
        )

    def _of_folds(self, best: str) -> str:
        tied = [_printable_name(name) for name in self.with_best if name != self.names[0]]
        level = f"at the level {number(self.alpha)}, all pairs taken together"
        if not tied:
            return f"{best} is significantly better than all others ({level})."
        behind = len(self.names) - len(self.with_best)
        others = list_of(tied, "or") if len(tied) <= MOST_NAMED else f"{len(tied)} others"
        words = f"{best} has the best mean, but it cannot be told apart from {others} ({level})"
        if behind:
            words += (
                f"; it is significantly better than the other {behind}"
                if behind > 1
                else (f"; it is significantly better than {_printable_name(self._behind()[0])}")
            )
        return f"{words}. That they are equal is not shown either."

    def _behind(self) -> list[str]:
        return [name for name in self.names if name not in self.with_best]

    def __str__(self) -> str:
        rows = [["learner", "mean", "tied", "better than", "worse than"]]
        for name in self.names:
            won, _, lost = self.record(name)
            rows.append([_printable_name(name), number(self.means[name]), self.letters[name], str(won), str(lost)])
        return f"{aligned(rows, left=(0,))}\n{self.words}" if self.names else self.words

    def __repr__(self) -> str:
        return f"<Ties of {len(self.names)} learners in {len(self.groups)} groups>"

    def plot(self) -> Any:
        """A diagram of mean ranks in which bars join learners that are tied; see `rank_diagram`."""
        from learnt.evaluate.significance.rank_picture import rank_diagram

        return rank_diagram(self.ranks, self.groups)

    def to_dict(self) -> dict[str, Any]:
        """Lists, dicts and numbers as JSON has them; None for what is NaN or infinite."""
        from learnt.evaluate.comparison.records import finite

        record: dict[str, Any] = {
            "names": list(self.names),
            "means": dict(self.means),
            "pairs": [asdict(pair) for pair in self.pairs],
            "letters": dict(self.letters),
            "groups": [list(group) for group in self.groups],
            "with_best": list(self.with_best),
            "ranks": dict(self.ranks),
            "wins": self.wins.tolist(),
            "ties": self.ties.tolist(),
            "losses": self.losses.tolist(),
            "untested": list(self.untested),
            "by": self.by,
            "alpha": self.alpha,
            "practical": self.practical,
            "words": self.words,
        }
        plain: dict[str, Any] = finite(record)
        return plain


def tied_groups(
    scores: Mapping[str, Any],
    n_train: Any,
    n_test: Any,
    higher_is_better: bool = True,
    alpha: float = 0.05,
    practical: float = 0.0,
) -> Ties:
    """Compare every pair of learners by the corrected t-test and say which are tied.

        t = d̄ / √((1/k + n_test/n_train) · s²),  k − 1 degrees of freedom

    d̄ and s² are mean and variance of the differences over the k folds both learners were scored on. The p-values of
    all pairs are adjusted together by Holm's method.

    >>> a, b = [0.90, 0.92, 0.91, 0.93, 0.90], [0.70, 0.72, 0.73, 0.69, 0.71]
    >>> print(tied_groups({"tree": a, "majority": b, "bayes": [s - 0.01 for s in reversed(a)]}, n_train=80, n_test=20))
    learner    mean  tied  better than  worse than
    tree      0.912     a            1           0
    bayes     0.902     a            1           0
    majority   0.71     b            0           2
    tree has the best mean, but it cannot be told apart from bayes (at the level 0.05, all pairs taken together); it is
    significantly better than majority. That they are equal is not shown either.

    | setting | meaning |
    |---|---|
    | `scores` | per learner a score for each fold, all in the same order; NaN where it was not run |
    | `n_train`, `n_test` | rows of a fold's training and test part, a number or one per fold |
    | `higher_is_better` | False for errors and losses |
    | `alpha` | the chance of a single false difference among all pairs |
    | `practical` | a smaller mean difference counts as a tie, however significant |

    The best learner is that of the best mean among those scored on the most folds. One with fewer than two scores is
    listed in `untested`. A pair with infinite scores is judged by the sign test.

    Reference: C. Nadeau, Y. Bengio, Inference for the generalization error, Machine Learning 52, 2003.
    """
    check_test("tied_groups", alpha=alpha, practical=(Real(0), practical))
    table = {str(name): score_array(values, f"The scores of {name!r}") for name, values in scores.items()}
    if len({len(values) for values in table.values()}) > 1:
        raise InputError(
            f"Learners have {sorted({len(v) for v in table.values()})} scores. Expected one per fold for each of them, "
            "NaN where one was not run."
        )
    ratio = test_to_train(n_train, n_test)
    sign = 1.0 if higher_is_better else -1.0
    counts = {name: int((~np.isnan(values)).sum()) for name, values in table.items()}
    untested = tuple(name for name in table if counts[name] < 2)
    means = {name: float(np.nanmean(table[name])) for name in table if counts[name] >= 2}
    names = sorted(means, key=lambda name: (-counts[name], -sign * means[name]))
    pairs = _pairs([(name, sign * table[name]) for name in names], ratio, alpha, practical)
    return ties_of(
        names,
        {name: means[name] for name in names},
        pairs,
        {name: sign * table[name] for name in names},
        untested=untested,
        higher_is_better=higher_is_better,
        alpha=alpha,
        practical=practical,
    )


def ties_of(
    names: Sequence[str],
    means: dict[str, float],
    pairs: tuple[Pair, ...],
    by_fold: dict[str, Array],
    *,
    untested: tuple[str, ...] = (),
    higher_is_better: bool,
    alpha: float,
    practical: float = 0.0,
    with_best: tuple[str, ...] | None = None,
    errors: SamplingErrors | None = None,
) -> Ties:
    """Letters, groups and counts from pairs that are judged already; `by_fold` are scores, more being better."""
    place = {name: i for i, name in enumerate(names)}
    better = np.zeros((len(names), len(names)), dtype=bool)
    for pair in pairs:
        better[place[pair.better], place[pair.worse]] = pair.significant
    groups = cliques(~(better | better.T))
    wins, equal = _by_fold([by_fold[name] for name in names])
    return Ties(
        names=tuple(names),
        means=means,
        pairs=pairs,
        letters=dict(zip(names, letters(groups, len(names)), strict=True)),
        groups=tuple(tuple(names[i] for i in group) for group in groups),
        with_best=tuple(n for i, n in enumerate(names) if not better[0, i]) if with_best is None else with_best,
        ranks=_mean_ranks(by_fold),
        wins=wins,
        ties=equal,
        losses=wins.T.copy(),
        better=better,
        untested=untested,
        higher_is_better=higher_is_better,
        alpha=alpha,
        practical=practical,
        by="folds" if errors is None else "rows",
        errors=errors,
    )


def _pairs(scores: list[tuple[str, Array]], ratio: float, alpha: float, practical: float) -> tuple[Pair, ...]:
    """Scores point upwards here: higher is better."""
    found = []
    for i, (one, a) in enumerate(scores):
        for other, b in scores[i + 1 :]:
            known = ~(np.isnan(a) | np.isnan(b))
            x, y = a[known], b[known]
            if np.isinf(x).any() or np.isinf(y).any():
                found.append((one, other, *_by_signs(x, y), int(known.sum())))
                continue
            d = without_rounding(x, y)
            scale = float(max(np.abs(x).max(initial=0), np.abs(y).max(initial=0)))
            test = mean_test(d, 1 / max(len(d), 1) + ratio, deviation(d, scale), "two", alpha)
            found.append((one, other, test.mean, test.low, test.high, test.statistic, test.p_value, test.note, len(d)))
    adjusted = adjust([p for *_, p, _, _ in found]).tolist()
    pairs = []
    for (one, other, mean, low, high, t, p, note, folds), raised in zip(found, adjusted, strict=True):
        if mean < 0:
            one, other, mean, low, high, t = other, one, -mean, -high, -low, -t
        significant = raised <= alpha and mean >= practical and mean > 0
        pairs.append(Pair(one, other, mean, low, high, t, p, raised, folds, significant, note))
    return tuple(pairs)


def _by_signs(a: Array, b: Array) -> tuple[float, float, float, float, float, str]:
    """Mean difference, interval, statistic and p-value where scores are infinite: only their order is sure."""
    from scipy.special import bdtr

    won, lost = int((a > b).sum()), int((a < b).sum())
    p = min(1.0, 2 * float(bdtr(min(won, lost), won + lost, 0.5))) if won + lost else 1.0
    mean = 0.0 if won == lost else np.inf if won > lost else -np.inf
    note = "Some scores are infinite, so that the sign test was used."
    return mean, -np.inf, np.inf, float(won - lost), p, note


def _by_fold(scores: list[Array]) -> tuple[Array, Array]:
    """On how many folds each beats, and equals, each; on the diagonal nothing."""
    k = len(scores)
    wins, equal = np.zeros((k, k), dtype=np.int64), np.zeros((k, k), dtype=np.int64)
    for i, a in enumerate(scores):
        for j, b in enumerate(scores):
            if i != j:
                same = np.isclose(a, b, rtol=ROUNDING, atol=0)
                wins[i, j], equal[i, j] = ((a > b) & ~same).sum(), same.sum()
    return wins, equal


def _mean_ranks(scores: dict[str, Array]) -> dict[str, float]:
    """Mean ranks over the folds that all were scored on; where there are none, ranks of the order given."""
    if not scores:
        return {}
    matrix = np.column_stack(list(scores.values()))
    matrix = matrix[~np.isnan(matrix).any(axis=1)]
    means = ranks_by_row(matrix).mean(axis=0) if len(matrix) else np.arange(1.0, len(scores) + 1)
    return dict(zip(scores, means.tolist(), strict=True))


def _printable_name(name: str) -> str:
    return printable(name)
