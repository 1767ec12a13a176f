"""What the last comparison of some rows found, so that `learnt train` need not compare them again."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import learnt
from learnt.cli.arguments.reading import Reading
from learnt.cli.writing.journals import kept_folder
from learnt.cli.writing.results import kept_of, save_model
from learnt.evaluate.comparison.candidates import candidates
from learnt.evaluate.comparison.promise import Promise
from learnt.evaluate.journal import data_key
from learnt.learner.registry import find
from learnt.whole_file import write_whole

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.problem import Problem


def keep_verdict(comparison: Comparison) -> None:
    """Only where a name says all of the learner: one with settings, costs or a search of its own is compared anew."""
    if comparison.loss is not None or comparison.interrupted or not _name_says_all(comparison):
        return
    promise = Promise.of(comparison, comparison.best.name)
    record = {
        "learnt": learnt.__version__,
        "learner": comparison.best.name,
        "compared": len(comparison.done),
        "promise": None if promise is None else promise.to_dict(),
    }
    with contextlib.suppress(OSError):  # a home that cannot be written to keeps nobody from comparing
        path = _place(comparison.problem)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        write_whole(path, json.dumps(record))


def _name_says_all(comparison: Comparison) -> bool:
    """Whether the learner is the one that a comparison makes of its name."""
    best = comparison.best
    if find(best.name) is not type(best.learner):
        return False
    (named,) = candidates(comparison.problem, [best.name], metric=comparison.metric)
    return repr(named.learner) == repr(best.learner)


def save_best(comparison: Comparison, place: Path, reading: Reading) -> None:
    """The most accurate learner fitted to all rows, with what it predicts and what is promised of it."""
    model = comparison.best.fit()
    known = notes_of(comparison.target_name, Promise.of(comparison, comparison.best.name))
    save_model(model, place, {**known, **kept_of(model, comparison.problem.table, reading, comparison.notes)})


def notes_of(target: str, promise: Promise | None) -> dict[str, Any]:
    """What is known of a model besides, as its file keeps it."""
    return {"target": target, **({} if promise is None else {"promise": promise.to_dict()})}


def last_verdict(problem: Problem) -> Mapping[str, Any] | None:
    """The verdict on these very rows and columns, by this version; None where there is none that can be trusted."""
    try:
        record = json.loads(_place(problem).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(record, dict) or record.get("learnt") != learnt.__version__:
        return None
    return record if find(str(record.get("learner"))) is not None else None


def _place(problem: Problem) -> Path:
    """Under the hash of all that the problem holds: other rows, columns, kinds, weights or groups are another place."""
    return kept_folder() / f"{data_key(problem)}.verdict"
