"""A script that repeats the comparison and checks that it gives the same leaderboard."""

from __future__ import annotations

import ast
import base64
import json
import math
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

import learnt
from learnt.data.table import Column, Table
from learnt.errors import InputError
from learnt.evaluate.comparison.running.sampling import folds_of_sample, rows_compared
from learnt.evaluate.metrics.scoring import METRICS
from learnt.learner.settings import Settings
from learnt.report.comparison.fingerprint import fingerprint
from learnt.report.comparison.template import environment
from learnt.report.comparison.understood import target_column
from learnt.show.words import plain, spell

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

MOST_CELLS, MOST_EMBEDDED = 100_000, 300_000  # cells, and packed bytes, of a table that came from no file
DATASET = "dataset:"


def script(comparison: Comparison) -> str:
    """Python source. It reads the same file, or holds the table itself where it came from memory and is small.

    Whatever comes from the data stands in it as a literal, never as bare text.
    """
    metric = comparison.metric.name
    learners = {o.name: expression(_untuned_learner(o.learner)) for o in comparison.done}
    packed = "" if comparison.source else packed_table(comparison)
    means = {o.name: o.mean(metric) for o in comparison.done if learners[o.name] is not None}
    template = environment(escaped=False).get_template("reproduce.py.j2")
    return template.render(
        version=learnt.__version__,
        packed=repr(packed) if packed else "",
        needs_file=not comparison.source and not packed,
        source=repr(comparison.source),
        load=_load(comparison, bool(packed)),
        fingerprint=fingerprint(comparison.problem),
        learners=[(repr(name), words) for name, words in learners.items() if words is not None],
        unknown=[ascii(name) for name, words in learners.items() if words is None],
        target=repr(target_column(comparison.problem).name if packed else comparison.target_name),
        settings=_settings(comparison),
        foreign_folds=not (drawn_by_us(comparison) or _by_time(comparison)),
        expected=[(repr(name), repr(mean)) for name, mean in means.items() if math.isfinite(mean)],
    )


def _settings(comparison: Comparison) -> list[tuple[str, str]]:
    """Arguments of `learnt.compare` as source."""
    rows = rows_compared(comparison)
    found: list[tuple[str, Any]] = [
        *([("metric", comparison.metric.name)] if comparison.metric.name in (*METRICS, "expected_cost") else []),
        *([("cv", comparison.cv)] if drawn_by_us(comparison) or _by_time(comparison) else []),
        *([("max_rows", rows)] if drawn_by_us(comparison) and 0 < rows < comparison.problem.n_rows else []),
        ("repeats", comparison.repeats),
        ("tune", any(o.tuned is not None for o in comparison.done)),
        ("task", comparison.problem.task),
        ("random_state", comparison.random_state),
        *_roles(comparison),
    ]
    if comparison.loss is not None:
        loss = comparison.loss
        costs = {
            (plain(c), plain(a)): float(loss.costs[i, j])
            for i, c in enumerate(loss.classes)
            for j, a in enumerate(loss.actions)
        }
        found.append(("loss", costs))
    return [(key, repr(value)) for key, value in found]


def _roles(comparison: Comparison) -> list[tuple[str, Any]]:
    """Columns by role. A table that stands in the script has its columns left out already; what is kept is named."""
    roles = comparison.roles
    if not comparison.source:
        return [("keep", list(comparison.problem.table.names))] if roles.keep else []
    named = [(key, list(getattr(roles, key))) for key in ("drop", "keep") if getattr(roles, key)]
    columns = [(key, getattr(roles, key)) for key in ("groups", "weight", "time")]
    return [*named, *((key, column) for key, column in columns if isinstance(column, str))]


def _by_time(comparison: Comparison) -> bool:
    """Whether the folds follow a column of the file, so that the script can cut them again."""
    return bool(comparison.source) and isinstance(comparison.roles.time, str)


def drawn_by_us(comparison: Comparison) -> bool:
    """Whether the folds are those that their number and the seed give, not those of a splitter of the user's own."""
    results, rows = comparison.done[0].results if comparison.done else [], rows_compared(comparison)
    if results and rows < comparison.cv:
        return False
    own = folds_of_sample(comparison.problem, rows, comparison.cv, comparison.repeats, comparison.random_state)
    try:
        return all(np.array_equal(fold.test, result.test) for result, fold in zip(results, own, strict=False))
    except InputError:  # too few groups in so few rows
        return False


def _load(comparison: Comparison, packed: bool) -> str:
    """The expression that gives the table; `source` is what the command line may replace."""
    if packed:
        return "unpacked_table(TABLE)"
    extra = "".join(f", {key}={spell(value)}" for key, value in comparison.reading.items())
    if comparison.source.startswith(DATASET):
        return f"learnt.Table(learnt.datasets.load(source.removeprefix({DATASET!r})){extra})"
    return f"learnt.read(source{extra})"


def _untuned_learner(learner: Any) -> Any:
    """The learner inside a search for settings."""
    return learner.learner if type(learner).__name__ == "Tuned" else learner


def expression(value: Any) -> str | None:
    """Source that makes an equal learner or setting; None if there is none."""
    if isinstance(value, Settings):
        from learnt.learner.registry import find

        kind = type(value)
        if find(kind.__name__) is not kind or not kind.__module__.startswith("learnt."):
            return None
        parts = []
        for name, default in kind._defaults().items():
            setting = getattr(value, name)
            if type(setting) is type(default) and repr(setting) == repr(default):
                continue
            words = expression(setting)
            if words is None:
                return None
            parts.append(f"{name}={words}")
        return f"find({kind.__name__!r})({', '.join(parts)})"
    try:
        return repr(value) if ast.literal_eval(repr(value)) == value else None
    except (ValueError, SyntaxError, TypeError):
        return None


def packed_table(comparison: Comparison) -> str:
    """The table with its target as compressed text; empty if it is too large or has weights or groups."""
    problem = comparison.problem
    if problem.weights is not None or problem.groups is not None or problem.table.sparse is not None:
        return ""
    columns = [*problem.table.columns, problem.declared or target_column(problem)]
    if sum(len(c) for c in columns) > MOST_CELLS:
        return ""
    plainly = [
        [c.name, c.kind, [plain(label) for label in c.categories], [None if x != x else x for x in c.values.tolist()]]
        for c in columns
    ]
    text = base64.b85encode(zlib.compress(json.dumps(plainly).encode(), 9)).decode()
    return text if len(text) <= MOST_EMBEDDED else ""


def unpacked_table(text: str) -> Table:
    """The table of `packed_table`."""
    columns = []
    for name, kind, categories, cells in json.loads(zlib.decompress(base64.b85decode(text))):
        if kind == "numeric":
            values = np.array([np.nan if x is None else x for x in cells], dtype=np.float64)
        else:
            values = np.array(cells, dtype=np.int32)
        columns.append(Column(name, kind, values, tuple(categories)))
    return Table.of_columns(columns)
