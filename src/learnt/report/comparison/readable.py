"""Section 7: the best model that people can read, fitted to all rows, as text and as a picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from learnt.evaluate.comparison.words import price
from learnt.report.comparison.figures.svg import Drawing
from learnt.report.comparison.template import fill_template
from learnt.report.comparison.words import drawn_markup, interval, score
from learnt.report.section import Section
from learnt.show.numbers import number, percent
from learnt.show.words import short_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from learnt.evaluate.comparison.comparison import Comparison
    from learnt.evaluate.comparison.outcome import Outcome

MOST_LINES, LINE_WIDTH = 200, 300
MOST_BYTES = 700_000  # of a picture
MOST_RULES, RULE_WIDTH = 40, 200


def readable(comparison: Comparison) -> Section:
    outcome = readable_of(comparison)
    title = "The best readable model"
    if outcome is None:
        return Section("model", title, "Readable model", fill_template("readable.html.j2", outcome=None))
    model, metric = comparison.fitted(outcome.name), comparison.metric
    standing = next(s for s in comparison.leaderboard() if s.name == outcome.name)
    text, left = model_text(model)
    body = fill_template(
        "readable.html.j2",
        outcome=outcome,
        why=_why(comparison, outcome, standing.place),
        metric=metric.title,
        mean=score(standing.mean, metric),
        interval=interval(standing.low, standing.high, metric),
        n_rows=comparison.problem.n_rows,
        text=text,
        left=left,
        picture=model_picture(model),
        rules=rule_rows(model),
    )
    return Section("model", title, "Readable model", body)


def readable_of(comparison: Comparison) -> Outcome | None:
    """The most readable learner within reach, otherwise the readable one with the best mean."""
    if not comparison.done:
        return None
    found = comparison.verdict
    known = [o for o in comparison.done if o.readable and not o.baseline]
    return next((o for o in (found.readable, found.nearest, *known) if o is not None), None)


def _why(comparison: Comparison, outcome: Outcome, place: int) -> str:
    """Why it is this one, and what it costs to read it instead of using the most accurate one."""
    found = comparison.verdict
    if outcome is found.accurate:
        return "It is the most accurate learner, and can be read."
    if not found.learnt:
        return f"It stands at place {place} of the leaderboard."
    if outcome is found.readable:
        return f"It is the most readable learner within reach of the most accurate one: {price(comparison, outcome)}."
    if found.unproven:
        return (
            "No learner that can be read is both within reach of the most accurate one and shown to be better than the "
            f"baseline; this one, at place {place}, is within reach: {price(comparison, outcome)}."
        )
    return (
        f"No learner that can be read is within reach of the most accurate one; this one, at place {place}, comes "
        f"nearest: {price(comparison, outcome)}."
    )


def model_text(model: Any) -> tuple[str, int]:
    """The model as it prints itself, and how many lines of it were left out."""
    lines = str(model).splitlines()
    shown = [short_name(line, LINE_WIDTH) for line in lines[:MOST_LINES]]
    return "\n".join(shown), len(lines) - len(shown)


def model_picture(model: Any) -> Markup | None:
    """Its drawing, with fewer leaves where long labels would make it too large; None if it has none."""
    if not hasattr(model, "draw"):
        return None
    for most in (16, 8, 4):
        svg = str(model.draw(most=most).svg)
        if len(svg.encode()) <= MOST_BYTES:
            return drawn_markup(svg)
    return None


def rule_rows(model: Any) -> list[dict[str, Any]]:
    """The rules of a rule list as lines of a picture: how many rows each covers, and how many of those rightly."""
    from learnt.tree.show.conditions import conjunction
    from learnt.tree.show.rules import Rules

    rules = getattr(model, "rules_", None)
    if not isinstance(rules, Rules):
        return []
    every = [*rules, rules.default]
    most = max(max(rule.weight for rule in every), 1e-300)
    return [
        {
            "words": short_name(conjunction(rule.conditions), RULE_WIDTH) if rule.conditions else "otherwise",
            "answer": rule.prediction,
            "weight": number(rule.weight),
            "share": percent(rule.confidence, 0) if rule.weight else "",
            "bar": _coverage_bar(rule.weight / most, rule.confidence),
        }
        for rule in [*every[:-1][:MOST_RULES], every[-1]]
    ]


def _coverage_bar(share: float, right: float) -> Markup:
    """A bar as long as the rows a rule covers, its dark part those it is right about."""
    drawing = Drawing(180, 12)
    drawing.box(0, 0, max(180 * share, 1.0), 12, "bar")
    if right == right:
        drawing.box(0, 0, max(180 * share * right, 0.5), 12, "dot")
    return drawing.markup()
