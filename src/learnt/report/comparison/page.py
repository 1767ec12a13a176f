"""The page: its sections in order, in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from learnt.errors import FileError
from learnt.report.comparison.insights import INSIGHTS
from learnt.report.comparison.section import Section, environment, filled
from learnt.report.comparison.words import counted, name, short
from learnt.wording import printable, shortened

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparing.comparison import Comparison

    Builder = Callable[[Comparison], Section | None]

#: Nothing may be fetched, sent or framed; the one script that may run is known by its hash.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{}'; base-uri 'none'; form-action 'none'"
)


def render(comparison: Comparison) -> str:
    """The report as HTML. The same comparison gives the same page, what is marked `data-measured` apart."""
    from markupsafe import Markup

    from learnt import __version__

    script, style = _read("page.js"), _read("page.css")
    spoken = f"Which learner predicts {shortened(printable(comparison.target_name), 60)}?"
    return environment().get_template("page.html.j2").render(
        title=Markup("Which learner predicts ‘{}’?").format(name(comparison.target_name, 60)),
        plain_title=spoken,
        facts=_facts(comparison),
        sections=[section for build in _builders() if (section := _tried(build, comparison)) is not None],
        policy=POLICY.format(_fingerprint(f"\n{script}\n")),
        script=Markup(script),
        style=Markup(style),
        version=__version__,
    )  # fmt: skip


def write(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the report to a file and return its path."""
    target, text = Path(path), render(comparison)
    try:
        target.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(f"The report cannot be written: {error.strerror}. Choose another place.", str(path)) from error
    return target


def _builders() -> list[Builder]:
    """In the order of the page. Insights not there are left out."""
    from learnt.report.comparison.columns import columns
    from learnt.report.comparison.leaderboard import leaderboard
    from learnt.report.comparison.left_out import left_out
    from learnt.report.comparison.method import method
    from learnt.report.comparison.provenance import provenance
    from learnt.report.comparison.readable import readable
    from learnt.report.comparison.verdict import verdict

    def insight(key: str) -> Builder:
        def build(comparison: Comparison) -> Section | None:
            return INSIGHTS[key](comparison) if key in INSIGHTS and comparison.done else None

        build.__name__ = key
        return build

    return [
        verdict,
        columns,
        method,
        leaderboard,
        left_out,
        insight("disagreement"),
        readable,
        insight("slices"),
        insight("rows"),
        insight("more-data"),
        insight("importance"),
        provenance,
    ]


def _tried(build: Builder, comparison: Comparison) -> Section | None:
    """The section, or in its place why it could not be made: hours of comparing must not be lost over a picture."""
    try:
        return build(comparison)
    except Exception as error:
        key = getattr(build, "__name__", "section").replace("_", "-")
        words = f"This part could not be made ({type(error).__name__}: {short(error, 300)})."
        title = key.replace("-", " ").capitalize()
        return Section(key, f"{title}: not available", title, filled("failed.html.j2", words=words))


def _facts(comparison: Comparison) -> list[Markup]:
    from markupsafe import Markup

    problem = comparison.problem
    folds = f"{comparison.cv}-fold cross-validation" + (f", {comparison.repeats} times" * (comparison.repeats > 1))
    pairs = [
        (counted(problem.n_rows, "row"), ""),
        (counted(problem.table.n_columns, "column"), ""),
        (problem.task, "task"),
        (comparison.metric.title, "metric"),
        (folds, ""),
    ]
    facts = [Markup("{} <b>{}</b>").format(what, words) for words, what in pairs]
    if comparison.source:
        facts.insert(0, Markup("from <b>{}</b>").format(name(comparison.source, 60)))
    return facts


def _read(file: str) -> str:
    return files("learnt.report.comparison").joinpath("templates", file).read_text(encoding="utf-8").strip()


def _fingerprint(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
