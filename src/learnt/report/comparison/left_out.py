"""Section 5: learners that have no place on the leaderboard, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import score
from learnt.report.section import Section
from learnt.show.words import short_name

if TYPE_CHECKING:
    from learnt.evaluate.comparison.comparison import Comparison

WORDS = {
    "stopped": "They began, but did not finish every fold.",
    "failed": "They ended with an error.",
    "skipped": "They do not fit this table and were not begun.",
}
WHY_WIDTH = 300


def left_out(comparison: Comparison) -> Section:
    metric = comparison.metric
    groups = []
    for status, words in WORDS.items():
        rows = [
            {
                "name": o.name,
                "why": short_name(" ".join(o.why.split()), WHY_WIDTH),
                "folds": f"{len(o.results)} of {comparison.n_folds}",
                "mean": score(o.mean(metric.name), metric) if o.results else "",
            }
            for o in comparison.outcomes
            if o.status == status
        ]
        if rows:
            groups.append({"status": status, "words": words, "rows": rows})
    body = fill_template("left_out.html.j2", groups=groups, metric=metric.title, interrupted=comparison.interrupted)
    return Section("left-out", "What was skipped or stopped, and why", "Skipped or stopped", body)
