"""The posterior over a version space as examples arrive: all hypotheses that agree stay equally likely."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.errors import ParameterError
from learnt.show.numbers import percent
from learnt.theory.experiments.experiment import Experiment, draw_lines


def posterior_over_version_space(n: int = 6, *, examples: int = 12, random_state: int = 0) -> Experiment:
    """Conjunctions of n booleans, one of them true: how likely it is, and how sure new rows are, after each example."""
    if not (isinstance(n, int) and 1 <= n <= 9):
        raise ParameterError(f"n is {n}. Expected 1 to 9 booleans.")
    rng = np.random.default_rng(random_state)
    # −1: not asked for; 0 or 1: the value wanted. 3^n conjunctions, all equally likely before the first example.
    hypotheses = np.stack(np.meshgrid(*[[-1, 0, 1]] * n, indexing="ij"), axis=-1).reshape(-1, n)
    truth = np.full(n, -1)
    truth[:2] = 1 if n > 1 else -1
    rows = rng.integers(0, 2, (examples, n))
    rows[::6, : min(2, n)] = 1  # positive rows are rare by chance
    new = rng.integers(0, 2, (200, n))
    says = _covers(hypotheses, new)
    right = _covers(truth[None], new)[0]
    alive, figures = np.ones(len(hypotheses), bool), []
    for k in range(examples + 1):
        if k:
            row = rows[k - 1]
            alive &= _covers(hypotheses, row[None])[:, 0] == _covers(truth[None], row[None])[0, 0]
        share = says[alive].mean(axis=0)
        optimal = float(np.mean((share > 0.5) == right))
        decided = float(np.mean((share == 0) | (share == 1)))
        figures.append((k, int(alive.sum()), 1 / int(alive.sum()), optimal, decided))
    shown = [figure for figure in figures if figure[0] in {0, 1, 2, 3, 4, 6, 8, 12, 16, 20, examples}]
    last = figures[-1]
    return Experiment(
        "posterior_over_version_space",
        f"{len(hypotheses):,} conjunctions of {n} booleans, one of them true and all equally likely at first: what "
        "do examples do to them?",
        f"Each example strikes out those that disagree, and the rest stay equally likely. After {examples} examples "
        f"{last[1]} of {len(hypotheses):,} {'is' if last[1] == 1 else 'are'} left; the vote of those left "
        f"(Bayes-optimal) is right on {percent(last[3], 0)} of new rows, {percent(last[4], 0)} of them decided.",
        ("examples", "hypotheses left", "probability of the true one", "Bayes-optimal accuracy", "rows decided"),
        tuple(shown),
        draw_lines(
            [f[0] for f in figures],
            {
                "probability of the true hypothesis": [f[2] for f in figures],
                "accuracy of the vote": [f[3] for f in figures],
                "new rows decided": [f[4] for f in figures],
            },
            ("examples", "share"),
        ),
    )


def _covers(hypotheses: Array, rows: Array) -> Array:
    """Hypotheses × rows: which are instances."""
    wanted = hypotheses[:, None, :]
    return np.asarray(((wanted == -1) | (wanted == rows[None, :, :])).all(axis=2))
