"""What `learnt test` says of a model: figures, what was promised, which class was taken for which."""

from __future__ import annotations

from typing import Any

import numpy as np

from learnt.cli.terminal.console import name, say, show_table, width
from learnt.evaluate.comparison.promise import Promise, rows_key
from learnt.evaluate.comparison.records import finite
from learnt.evaluate.new_rows import Figure, Judged
from learnt.show.numbers import number
from learnt.show.words import count_of, few_of, label, shorten_text, wrap_words


def judged_notices(judged: Judged, left_out: int, promise: Promise | None) -> list[str]:
    found = []
    if left_out:
        found.append(f"{left_out:,} rows have no {name(repr(judged.problem.target_name))} and were left out.")
    if judged.unseen:
        which = few_of([shorten_text(label(c), 40) for c in judged.unseen], 3)
        found.append(f"The model has never seen {which}, so it is wrong wherever that is the truth.")
    if _learnt_from(judged, promise):
        found.append("These are the rows it learnt from: how good it is on others, they cannot tell.")
    return found


def _learnt_from(judged: Judged, promise: Promise | None) -> bool:
    """Whether these are the rows of the comparison, which keep any promise."""
    return promise is not None and promise.data == rows_key(judged.problem)


def _kept(judged: Judged, promise: Promise | None) -> Figure | None:
    """The figure to hold against the promise, where that says something."""
    if promise is None or _learnt_from(judged, promise):
        return None
    found = judged.figure(promise.metric)
    return None if found is None or np.isnan(found.standard_error) else found


def judged_facts(
    judged: Judged, fitted: Any, model: str, file: str, promise: Promise | None, notices: list[str]
) -> dict[str, Any]:
    kept = _kept(judged, promise)
    told: dict[str, Any] = finite(
        {
            "model": model,
            "learner": type(fitted).__name__,
            "file": file,
            "target": judged.problem.target_name,
            "rows": judged.problem.n_rows,
            "metrics": [
                {"metric": f.metric.name, "score": f.score, "low": f.low, "high": f.high} for f in judged.figures
            ],
            "promise": None if promise is None else promise.to_dict(),
            "kept": None if promise is None or kept is None else promise.kept_by(kept),
            "confusion": None
            if judged.confusion is None
            else {"labels": list(judged.confusion.labels), "counts": judged.confusion.counts.tolist()},
            "notices": notices,
        }
    )
    return told


def tell_judged(judged: Judged, fitted: Any, file: str, promise: Promise | None, notices: list[str]) -> None:
    goal = name(repr(judged.problem.target_name))
    say(
        f"{type(fitted).__name__} on {count_of(judged.problem.n_rows, 'row')} of {name(file)}, predicting {goal}",
        "bold",
    )
    for notice in notices:
        say(f"! {notice}", "yellow")
    say("")
    rows = [(f.metric.title, number(f.score), _interval(f.low, f.high)) for f in judged.figures]
    show_table(("metric", "score", "95 % interval"), rows, right={1})
    kept = _kept(judged, promise)
    if promise is not None and kept is not None:
        say("\n" + wrap_words(promise.words(kept), width()), "yellow" if promise.kept_by(kept) == "worse" else "")
    if judged.confusion is not None:
        say(f"\n{judged.confusion}")


def _interval(low: float, high: float) -> str:
    return "" if np.isnan(low) else f"{number(low)} … {number(high)}"
