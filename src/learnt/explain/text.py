"""Explanations as aligned text with bars of characters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from learnt.show.numbers import number, signed
from learnt.show.text_table import aligned_lines
from learnt.show.words import label, printable, shorten_text

if TYPE_CHECKING:
    from learnt.explain.explanation import Evidence, Explanation
    from learnt.explain.explanations import Explanations

BAR = 8  # characters on each side of the axis
TERM = 40  # a longer "column = value" is cut
NEGLIGIBLE = 0.005  # of the largest contribution: such terms are summed up
NOTHING = 1e-12  # of the largest contribution: such terms are zero but for rounding


def explanation_text(explanation: Explanation, most: int = 10) -> str:
    """A headline with the arithmetic, then a line per column, largest contribution first."""
    shown, rest = split(explanation.by_size(), most)
    lines = [headline(explanation)]
    terms = [shorten_text(term(e), TERM) for e in shown]
    sizes = [signed(e.contribution) for e in shown]
    bars = _bars([e.contribution for e in shown])
    rows = [*zip(terms, sizes, bars, (printable(e.words) for e in shown), strict=True)]
    lines += [f"  {line}" for line in aligned_lines(rows, left=(0, 2, 3))]
    if rest:
        lines.append("  " + remainder(rest))
    return "\n".join(lines)


def explanations_text(explanations: Explanations, most: int = 3) -> str:
    first = explanations[:most]
    parts = [f"row {row}: {text}" for row, text in zip(first.rows, first, strict=True)]
    if len(explanations) > most:
        parts.append(f"… and {len(explanations) - most} more rows")
    return "\n".join(parts) or "no rows"


def split(evidence: tuple[Evidence, ...], most: int) -> tuple[list[Evidence], list[Evidence]]:
    """The terms worth a line, and the small rest; a rest of one gets its line, it is no longer.

    Columns that add nothing, such as those a tree did not ask about, are in neither, unless none adds anything.
    """
    largest = max((abs(e.contribution) for e in evidence if math.isfinite(e.contribution)), default=0.0)
    evidence = tuple(e for e in evidence if not abs(e.contribution) < NOTHING * largest)
    shown = [e for e in evidence[:most] if not abs(e.contribution) < NEGLIGIBLE * largest]
    rest = list(evidence[len(shown) :])
    return (shown + rest, []) if len(rest) == 1 else (shown, rest)


def remainder(rest: list[Evidence]) -> str:
    return f"… and {len(rest)} more, together {signed(math.fsum(e.contribution for e in rest))}"


def term(e: Evidence) -> str:
    return f"{printable(e.column)} = {label(e.value)}"


def headline(explanation: Explanation) -> str:
    """The prediction in one sentence, worded by the kind of arithmetic."""
    answer, total = label(explanation.prediction), number(explanation.total, size_of(explanation))
    what, base = printable(explanation.total_words), printable(explanation.base_words)
    if explanation.kind == "frequency":
        return f"{answer} because {base}"
    if explanation.kind == "sum":
        return f"{what or 'prediction'} {total} = {_equation(explanation)}"
    if explanation.kind == "distances":
        text = f"cluster {answer}: {what or 'squared distance'} {total} = {_equation(explanation)}"
        if explanation.alternatives:
            other, far = explanation.alternatives[0]
            text += f"; next nearest: cluster {label(other)} at {number(far)}"
        return text
    if explanation.kind == "risk":
        others = "".join(f"; {action(other)} would cost {number(cost)}" for other, cost in explanation.alternatives[:2])
        return f"{action(explanation.prediction)}: {what or 'expected loss'} {total} = {base}{others}"
    return f"{answer}: {what or 'total'} {total} = {_equation(explanation)}"


def size_of(explanation: Explanation) -> float:
    """The largest of the numbers that are added: beside it, what rounding leaves is nothing."""
    sizes = [abs(explanation.base), *(abs(e.contribution) for e in explanation.evidence)]
    return max((size for size in sizes if math.isfinite(size)), default=0.0)


def action(answer: object) -> str:
    """What is done: a class is given as the answer, or none is."""
    return "reject" if answer is None else label(answer)


def _equation(explanation: Explanation, most: int = 3) -> str:
    """`23.51 (average) − 3.1 (weight) + 0.95 (7 more)`, the largest terms first."""
    parts = []
    if explanation.base != 0 or explanation.base_words or not explanation.evidence:
        words = f" ({printable(explanation.base_words)})" if explanation.base_words else ""
        parts.append((explanation.base, number(explanation.base, size_of(explanation)), words))
    ordered = explanation.by_size()
    shown, rest = split(ordered, most)
    named = [(e.contribution, f" ({printable(e.column)})") for e in shown]
    if rest:
        named.append((math.fsum(e.contribution for e in rest), f" ({len(rest)} more)"))
    parts += [(size, number(abs(size)) if parts else number(size), words) for size, words in named[:1]]
    parts += [(size, number(abs(size)), words) for size, words in named[1:]]
    text = parts[0][1] + parts[0][2]
    for size, digits, words in parts[1:]:
        text += f" {'−' if size < 0 else '+'} {digits}{words}"
    return text


def _bars(sizes: list[float]) -> list[str]:
    """A bar per number around a common axis; no left side when nothing is negative."""
    finite = [abs(s) for s in sizes if math.isfinite(s)]
    unit = max(finite, default=0.0) / BAR
    left = any(s < 0 for s in sizes)
    right = any(s > 0 for s in sizes)
    bars = []
    for size in sizes:
        count = BAR if math.isinf(size) else 0 if unit == 0 or math.isnan(size) else round(abs(size) / unit)
        bar = "█" * count if count or size == 0 or math.isnan(size) else "▏"
        minus = f"{bar if size < 0 else '':>{BAR}}" if left else ""
        plus = f"{bar if size >= 0 else '':<{BAR}}" if right else ""
        bars.append(f"{minus}│{plus}")
    return bars
