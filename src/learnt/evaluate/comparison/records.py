"""A comparison in plain types: what `to_dict`, `to_frame` and `--json` give."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from learnt.show.words import plain

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome


def comparison_record(comparison: Comparison) -> dict[str, Any]:
    """Lists, dicts, text, numbers, booleans and None; never NaN, which JSON has no word for."""
    problem = comparison.problem
    record: dict[str, Any] = finite(
        {
            "source": comparison.source,
            "target": problem.target_name,
            "task": problem.task,
            "classes": None if problem.classes is None else [plain(c) for c in problem.classes.tolist()],
            "rows": problem.n_rows,
            "columns": problem.table.n_columns,
            "metric": comparison.metric.name,
            "higher_is_better": comparison.metric.higher_is_better,
            "metrics": [m.name for m in comparison.metrics],
            "cv": comparison.cv,
            "repeats": comparison.repeats,
            "splitting": comparison.splitting.words,
            "random_state": comparison.random_state,
            "loss": None if comparison.loss is None else comparison.loss.costs.tolist(),
            "best": comparison.best.name if comparison.done else None,
            "readable": comparison.readable.name if comparison.done and comparison.readable else None,
            "may_be_best": [o.name for o in comparison.tied] if comparison.done else [],
            "something_learnt": comparison.verdict.learnt if comparison.done else None,
            "conclusion": comparison.conclusion,
            "notices": list(comparison.notices),
            "notes": [asdict(note) for note in comparison.notes],
            "interrupted": comparison.interrupted,
            "seconds": comparison.seconds,
            "command": comparison.command,
            "learners": _learners(comparison),
            "folds": {
                o.name: {metric: scores.tolist() for metric, scores in o.scores.items()}
                for o in comparison.outcomes
                if o.scores
            },
            "ties": None if comparison.ties is None else comparison.ties.to_dict(),
        }
    )
    return record


def _learners(comparison: Comparison) -> list[dict[str, Any]]:
    rows = {row.name: row for row in comparison.leaderboard()}
    found = []
    for outcome in comparison.outcomes:
        row = rows.get(outcome.name)
        found.append(
            {
                "name": outcome.name,
                "status": outcome.status,
                "place": None if row is None else row.place,
                "mean": outcome.mean(comparison.metric.name),
                "low": None if row is None else row.low,
                "high": None if row is None else row.high,
                "tied": None if row is None else row.letters,
                "may_be_best": row is not None and row.may_be_best,
                "standard_error": None if row is None else row.standard_error,
                **_facts(outcome),
                **{m.name: outcome.mean(m.name) for m in comparison.metrics if outcome.scores},
            }
        )
    return found


def _facts(outcome: Outcome) -> dict[str, Any]:
    return {
        "folds": len(outcome.results),
        "fit_seconds": outcome.fit_seconds,
        "predict_seconds": outcome.predict_seconds,
        "model_bytes": outcome.model_bytes,
        "readable": outcome.readable,
        "simplicity": outcome.simplicity,
        "baseline": outcome.baseline,
        "tuned": outcome.tuned,
        "warnings": outcome.warnings,
        "learner": None if outcome.learner is None else " ".join(repr(outcome.learner).split()),
        "why": outcome.why,
    }


def finite(value: Any) -> Any:
    """The same with None for NaN and infinities, all the way down."""
    if isinstance(value, dict):
        return {key: finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [finite(inner) for inner in value]
    value = plain(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value
