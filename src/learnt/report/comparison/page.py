"""The page: its sections in order, in one file that loads nothing."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.report.attempt import Failed, attempt
from learnt.report.comparison.insights.subject import Subject
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.understood import Understood
from learnt.report.comparison.words import name
from learnt.report.notes import notes_fold
from learnt.report.page import page_style, template_text, write_page
from learnt.report.section import Section
from learnt.show.html import html_page
from learnt.show.words import count_of, short_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison

HERE = "learnt.report.comparison"
#: Nothing may be fetched, sent or framed; the one script that may run is known by its hash.
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src '{}'; base-uri 'none'; form-action 'none'"
)
#: Sections about one learner, and how it answered rows that it had not seen.
INSIGHTS = ("disagreement", "slices", "rows", "more-data", "importance")


def render(comparison: Comparison) -> str:
    """The report as HTML. The same comparison gives the same page, what is marked `data-measured` apart."""
    from markupsafe import Markup

    from learnt import __version__

    script = template_text(HERE, "templates", "page.js")
    body = fill_template(
        "page.html.j2",
        title=Markup("Which learner predicts ‘{}’?").format(name(comparison.target_name, 60)),
        facts=_facts(comparison),
        notes=notes_fold(comparison.notes, settings=not comparison.command.startswith("learnt compare ")),
        sections=list(_sections(comparison)),
        script=Markup(script),
        version=__version__,
    )
    spoken = f"Which learner predicts {short_name(comparison.target_name, 60)}?"
    head = fill_template("head.html.j2", policy=POLICY.format(_fingerprint(f"\n{script}\n")))
    return html_page(spoken, body, page_style(), head)


def write(comparison: Comparison, path: str | os.PathLike[str]) -> Path:
    """Write the report to a file and return its path."""
    return write_page(render(comparison), path)


def _sections(comparison: Comparison) -> Iterator[Section]:
    """In the order of the page. A part that fails says so in its place: hours of comparing must not be lost over a
    picture. Where no learner finished there is nothing to look into."""
    from markupsafe import Markup

    from learnt.report.comparison.columns import columns
    from learnt.report.comparison.disagreement import disagreement
    from learnt.report.comparison.errors_by_slice import errors_by_slice
    from learnt.report.comparison.explained_rows import explained_rows
    from learnt.report.comparison.importance import importance
    from learnt.report.comparison.leaderboard import leaderboard
    from learnt.report.comparison.left_out import left_out
    from learnt.report.comparison.method import method
    from learnt.report.comparison.more_data import more_data
    from learnt.report.comparison.provenance import provenance
    from learnt.report.comparison.readable import readable
    from learnt.report.comparison.verdict import verdict

    understood = Understood(comparison.problem)
    subject = Subject(comparison, understood) if comparison.done else None
    parts: list[tuple[str, str, Callable[[Any], Section]]] = [
        ("verdict", "Verdict", verdict),
        ("columns", "What it understood of the columns", partial(columns, understood=understood)),
        ("method", "How it was measured", method),
        ("leaderboard", "Leaderboard", leaderboard),
        ("left-out", "What was skipped or stopped, and why", left_out),
        ("disagreement", "Where learners disagree", disagreement),
        ("model", "The best readable model", readable),
        ("slices", "Where it errs", errors_by_slice),
        ("rows", "Three rows, explained", explained_rows),
        ("more-data", "Would more data help?", more_data),
        ("importance", "The most important columns", importance),
        ("reproduce", "How to repeat it", provenance),
    ]
    for key, title, build in parts:
        about = subject if key in INSIGHTS else comparison
        if about is not None:
            made = attempt(partial(build, about))
            if isinstance(made, Failed):
                made = Section(key, title, title, Markup(made.__html__()))
            yield made


def _facts(comparison: Comparison) -> list[Markup]:
    from markupsafe import Markup

    problem = comparison.problem
    pairs = [
        (count_of(problem.n_rows, "row"), ""),
        (count_of(problem.table.n_columns, "column"), ""),
        (problem.task, "task"),
        (comparison.metric.title, "metric"),
        (comparison.splitting.words, ""),
    ]
    facts = [Markup("{} <b>{}</b>").format(what, words) for words, what in pairs]
    if comparison.source:
        facts.insert(0, Markup("from <b>{}</b>").format(name(comparison.source, 60)))
    return facts


def _fingerprint(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
