"""`learnt train` without a learner: the most accurate one, by the last comparison of these rows or by a new one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.cli.arguments.reading import Reading
from learnt.cli.arguments.typed import as_options
from learnt.cli.terminal.compare_progress import comparison_progress
from learnt.cli.terminal.console import say, width
from learnt.cli.writing.results import kept_of, save_model
from learnt.cli.writing.verdicts import keep_verdict, last_verdict, notes_of
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.comparison.entry import compare
from learnt.evaluate.comparison.promise import Promise
from learnt.evaluate.comparison.roles import Roles
from learnt.evaluate.comparison.understanding import understand
from learnt.evaluate.comparison.words import article
from learnt.evaluate.foreign import fit_on, seeded
from learnt.evaluate.metrics.scoring import DEFAULTS, METRICS
from learnt.learner.parameters import seed_from
from learnt.show.numbers import number
from learnt.show.words import wrap_words

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.problem import Problem


@dataclass(frozen=True, eq=False)
class Best:
    """A fitted model, what it learnt from, and what is known of it besides."""

    model: Any
    target: str
    n_rows: int
    left_out: int
    facts: dict[str, Any]


def train_best(
    table: Table,
    target: str | None,
    roles: Sequence[Any],
    output: Path,
    reading: Reading,
    client: Any = None,
    *,
    quiet: bool,
) -> Best:
    """Compare unless these very rows were compared before, then fit the most accurate learner and save it."""
    understood = understand(table, target, "auto", 10, Roles.of(*roles))
    problem = understood.problem
    record = last_verdict(problem)
    if record is not None:
        called, promise = str(record["learner"]), Promise.from_dict(record.get("promise"))
        model, notices = _fitted_again(problem, called), understood.notices
        words = f"Most accurate in the last comparison of these rows: {called}{_promised(promise)}."
    else:
        comparison = _compared(table, target, roles, client, quiet)
        model, notices = comparison.best.fit(), comparison.notices
        promise, words = Promise.of(comparison, comparison.best.name), comparison.conclusion
    known = notes_of(problem.target_name, promise)
    save_model(model, output, {**known, **kept_of(model, problem.table, reading, table.notes)})
    if not quiet:
        # The task is a setting of comparing alone; a kind says the same, here and there.
        kind = f"--kinds {shlex.quote(f'{problem.target_name}=nominal')}"
        for notice in notices:
            words_here = as_options(notice.replace("task='multiclass'", kind))
            say(wrap_words(words_here, width(), "! ", "  "), "yellow")
        say(wrap_words(as_options(words), width()) + "\n")
    facts = {"compared": record is None, "promise": None if promise is None else promise.to_dict()}
    return Best(model, problem.target_name, problem.n_rows, table.n_rows - problem.n_rows, facts)


def _compared(table: Table, target: str | None, roles: Sequence[Any], client: Any, quiet: bool) -> Comparison:
    if not quiet:
        say("No learner was named, so the usual ones are compared.", "dim", to_stderr=True)
    drop, keep, groups, weight, time = roles
    with comparison_progress(quiet) as show:
        comparison = compare(
            table,
            target,
            drop=drop,
            keep=keep,
            groups=groups,
            weight=weight,
            time=time,
            cluster=client,
            on_update=show,
        )
    if comparison.interrupted or not comparison.done:
        raise InputError("The comparison did not finish, so no learner was chosen. Name one with --learner.")
    keep_verdict(comparison)
    return comparison


def _fitted_again(problem: Problem, name: str) -> Any:
    """The learner of that name as a comparison sets it for the table, on all rows."""
    (candidate,) = candidates(problem, [name], metric=METRICS[DEFAULTS[problem.task]])
    return fit_on(seeded(candidate.learner, seed_from(0) % 2**32), problem)


def _promised(promise: Promise | None) -> str:
    if promise is None:
        return ""
    title = METRICS[promise.metric].title
    interval = f"95 % interval {number(promise.low)} to {number(promise.high)}"
    return f", with {article(title)} of {number(promise.score)} ({interval})"
