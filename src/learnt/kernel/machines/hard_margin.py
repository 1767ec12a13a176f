"""Borders without mistakes: the machine whose coefficients have no bounds, and words where there is none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from learnt.errors import InputError
from learnt.kernel.distinct_rows import distinct_rows
from learnt.kernel.machines.separability import Hulls, hulls_of
from learnt.kernel.machines.solving import KernelRows, Problems, Solved
from learnt.show.words import count_of

#: A dual beyond this, in units of the kernel's own size, has no bound: no margin is left that rounding would not eat.
NO_MARGIN = 1e10
#: Working sets after which a border without mistakes counts as not there: rows that cannot be separated have no end.
HARD_ROUNDS = 200
#: The same where it is known that there is one.
MOST_ROUNDS = 10_000
#: Working sets after which it is asked whether there can be one at all.
FIRST_ROUNDS = 4


def solve_hard(
    solve: Callable[..., Solved], rows: KernelRows, problems: Problems, refuse: Callable[[int, Hulls], None]
) -> Solved:
    """Rows that cannot be separated would keep the solver busy for ever: after a few working sets it is asked of those
    that have not ended whether they can be. `refuse` is told of the first problem that has no solution."""
    size = _typical_size(rows)
    most = NO_MARGIN / size if size > 0 else NO_MARGIN
    solved = solve(rows, problems, rounds=FIRST_ROUNDS, most_objective=most)
    known = True
    for m in np.flatnonzero(~solved.converged).tolist():
        mine = slice(problems.starts[m], problems.starts[m + 1])
        ids, first = problems.ids[mine], problems.target[mine] == problems.target[mine][0]
        hulls = hulls_of(rows, ids[first], ids[~first])
        if hulls.meet or solved.unbounded[m]:
            refuse(m, hulls)
        known = known and hulls.are_apart
    if not solved.converged.all():
        rounds = (MOST_ROUNDS if known else HARD_ROUNDS) - FIRST_ROUNDS
        solved = solve(rows, replace(problems, start=solved.beta), rounds=rounds, most_objective=most)
        for m in np.flatnonzero(~solved.converged)[:1].tolist():
            refuse(m, Hulls(np.nan))
    _set_gaps(problems, solved)
    return solved


def _set_gaps(problems: Problems, solved: Solved) -> None:
    """Without bounds a row that is a hair inside of the margin would cost without end: instead, by how much the
    objective exceeds the dual's once w is so long that no row is."""
    for m, (first, last) in enumerate(zip(problems.starts[:-1], problems.starts[1:], strict=True)):
        scores = problems.target[first:last] * (solved.values[first:last] + solved.offsets[m])
        square = float(solved.beta[first:last] @ solved.values[first:last])
        least = float(scores.min(initial=1.0))
        solved.ends[m, 3] = square / 2 / least**2 - solved.objectives[m] if least > 0 else np.inf


def _typical_size(rows: KernelRows) -> float:
    """The mean of k(x, x)."""
    n = rows.x.shape[0]
    return float(np.abs(rows.diagonal(np.arange(0, n, max(1, n // 100)))).mean())


def refuse_pair(a: str, b: str, hulls: Hulls) -> None:
    """Rows of two classes that no border parts without mistakes."""
    if not hulls.meet:
        why = "with this kernel the rows of the two cannot be separated, or hardly"
    else:
        rows = " and ".join(f"{count_of(n, 'row')} of {name}" for n, name in ((hulls.first, a), (hulls.second, b)))
        why = (
            "with this kernel the rows of the two cannot be separated. A border parts weighted means as it parts "
            f"rows, and a weighted mean of {rows} are the same point within rounding"
        )
    raise InputError(
        f"SVC(C=inf) found no border without mistakes between {a} and {b}: {why}. "
        "Use a finite C, or a kernel that bends more."
    )


def check_contradictions(rows: Any) -> None:
    """Equal rows, those of one class being one already: no border without mistakes, however it bends."""
    one = distinct_rows(rows, np.zeros(rows.shape[0], np.int64), None, 1)
    if len(one.first) < rows.shape[0]:
        raise InputError(
            "SVC(C=inf) was given equal rows of different classes: no border separates them. Use a finite C."
        )
