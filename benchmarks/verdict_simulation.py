"""How often the verdict of a comparison is wrong, and how often it sees what is there: simulated out-of-fold answers.

    python benchmarks/verdict_simulation.py            # the table of docs/significance.md
    python benchmarks/verdict_simulation.py --quick    # the bounds alone

Learners answer rows of one table. A row is as hard for all of them as it is, each has an opinion of its own, and each
is moved by the training rows it happened to get, which folds share: a shift that is the same in every fold, as large
as Nadeau's and Bengio's correction supposes. "exchangeable": all learners are equally good, so that every difference
found is a false one. "ladder": one is the best and the others are worse by up to 20 points, so that those clearly worse
should not be among the set that may be best.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from learnt.evaluate.significance import SamplingErrors, tied_groups

FOLDS = 10
STRETCH = 1 + 1 / (1 - 1 / FOLDS)
#: How much of an opinion of its own a learner has, beside how hard a row is. At this value learners that are equally
#: good differ on 4 % of the rows, as good ones do on real tables; at 0.35 on 8 %, and the power is .54 instead of .9.
OWN = 0.12


@dataclass(frozen=True)
class Setting:
    kind: str  # "classes" or "numbers", with errors of heavy tails
    rows: int
    learners: int
    ladder: bool

    @property
    def gaps(self) -> np.ndarray:
        """How much worse each learner truly is than the best: in points of accuracy, or as a share of the error."""
        return np.linspace(0, 0.2, self.learners) if self.ladder else np.zeros(self.learners)


def losses(setting: Setting, rng: np.random.Generator) -> np.ndarray:
    """Rows × learners: right (1) or wrong (0), or minus the squared error."""
    n, k = setting.rows, setting.learners
    if setting.kind == "numbers":
        error = rng.standard_t(3, size=(n, 1)) + OWN * rng.standard_t(3, size=(n, k))
        spread = 1 + setting.gaps + rng.normal(size=k) * OWN / np.sqrt(n)
        return -((error * spread) ** 2)
    from scipy.special import ndtri

    deviation = np.sqrt(1 + OWN**2)
    bar = ndtri(0.85 - setting.gaps) * deviation
    # The latent variable is moved by as much as the mean of n independent opinions varies.
    shift = rng.normal(size=k) * OWN * 1.5 / np.sqrt(n)
    return (rng.normal(size=(n, 1)) + OWN * rng.normal(size=(n, k)) < bar + shift).astype(np.float64)


@dataclass(frozen=True)
class Found:
    """Shares of the simulations: a false difference anywhere, the clearly worse (4 to 8 points) left out, and how much
    worse than the best the worst of those kept is, on average. `now` by rows, `before` by folds with Holm's method."""

    false_now: float
    false_before: float
    power_now: float
    power_before: float
    worst_now: float
    worst_before: float


def simulate(setting: Setting, times: int, seed: int = 0) -> Found:
    rows = np.array([_one(setting, rng) for rng in _generators(seed, times)])
    return Found(*rows.mean(axis=0).tolist())


def _generators(seed: int, times: int) -> Iterator[np.random.Generator]:
    return (np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(times))


def _one(setting: Setting, rng: np.random.Generator) -> list[float]:
    found = losses(setting, rng)
    n, gaps = setting.rows, setting.gaps
    errors = SamplingErrors.from_rows(found.mean(axis=0), (found - found.mean(axis=0)) / n, STRETCH)
    same = gaps[:, None] == gaps[None, :]
    np.fill_diagonal(same, False)
    told_now = np.abs(errors.statistics) > np.quantile(errors.largest, 0.95)
    by_fold = [part.mean(axis=0) for part in np.array_split(found, FOLDS)]
    ties = tied_groups({str(j): [f[j] for f in by_fold] for j in range(len(gaps))}, 0.9 * n, 0.1 * n)
    order = [int(name) for name in ties.names]
    told_before = np.zeros_like(told_now)
    told_before[np.ix_(order, order)] = ties.better | ties.better.T
    kept_now = errors.may_be_best()
    kept_before = np.isin(np.arange(len(gaps)), [int(name) for name in ties.with_best])
    worse = (gaps >= 0.04) & (gaps <= 0.08)
    power = [(~kept[worse]).mean() if worse.any() else np.nan for kept in (kept_now, kept_before)]
    worst = [gaps[kept].max() for kept in (kept_now, kept_before)]
    return [float((told_now & same).any()), float((told_before & same).any()), *power, *worst]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--times", type=int, default=200)
    options.add_argument("--quick", action="store_true", help="435 rows and 30 learners only")
    given = options.parse_args()
    sizes = [(435, 30)] if given.quick else [(n, k) for n in (100, 435, 2000) for k in (10, 30, 60)]
    print("| rows | learners | answers | false: now (before) | power at 4–8 points | worst kept |")
    print("|---|---|---|---|---|---|")
    for n, k in sizes:
        for kind in ("classes", "numbers"):
            level = simulate(Setting(kind, n, k, ladder=False), given.times)
            seen = simulate(Setting(kind, n, k, ladder=True), given.times)
            print(
                f"| {n} | {k} | {kind} | {level.false_now:.3f} ({level.false_before:.3f}) "
                f"| {seen.power_now:.2f} ({seen.power_before:.2f}) | {seen.worst_now:.3f} ({seen.worst_before:.3f}) |",
                flush=True,
            )


if __name__ == "__main__":
    main()
