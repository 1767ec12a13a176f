"""The findings on clusters in plain text for a terminal, and as data for programs."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from learnt.report.attempt import Failed
from learnt.show.numbers import number
from learnt.show.words import count_of, printable, short_name, wrap_words

if TYPE_CHECKING:
    from learnt.report.clusters.findings import Findings

MOST_TOLD = 12  # clusters whose silhouette is told
EFFECT = (
    "effect: how far a cluster is from the whole table, in standard deviations (for shares by Cohen's h); "
    "0.2 is small, 0.5 medium, 0.8 large."
)


def findings_text(found: Findings, width: int = 100) -> str:
    """Headline, notices, clusters with what makes them different, and how sure all that is."""
    blocks = [
        "\n".join(
            [wrap_words(headline(found), width), *(wrap_words(words, width, "! ", "  ") for words in found.notices)]
        ),
        choice_words(found, width),
        found.profile.to_text(),
        wrap_words(EFFECT, width),
        "\n".join(wrap_words(words, width, f"{name:<12}", " " * 12) for name, words in judgements(found)),
        _class_text(found, width),
    ]
    return "\n\n".join(block for block in blocks if block)


def _class_text(found: Findings, width: int) -> str:
    if found.versus is None:
        return ""
    heading, words = f"clusters and '{printable(str(found.class_name))}'", class_words(found)
    return "\n".join([heading, *([wrap_words(words, width)] if words else []), str(found.versus)])


def class_words(found: Findings) -> str:
    """How many rows the comparison with classes leaves out, and where it can say nothing; empty if all is well."""
    words = []
    if found.without_class:
        there = found.table.n_rows - found.without_class
        words.append(
            f"{found.without_class:,} of {count_of(found.table.n_rows, 'row')} have no class and are left out: "
            f"all figures are of the other {there:,}."
        )
    if getattr(found.versus, "classes", None) is not None and len(found.versus.classes) == 1:
        words.append("These are of one class, so that every cluster is pure: the figures say nothing.")
    return " ".join(words)


def headline(found: Findings) -> str:
    rows, columns = count_of(found.table.n_rows, "row"), count_of(found.table.n_columns, "column")
    made = f"{count_of(found.n_clusters, 'cluster')} by {found.model!r}"
    noise = f", {count_of(found.noise, 'row')} of noise" if found.noise else ""
    return f"{short_name(found.source, 60)}: {rows}, {columns}: {made}{noise}"


def choice_words(found: Findings, width: int) -> str:
    return "" if found.choice is None else wrap_words(str(found.choice.words), width)


def judgements(found: Findings) -> list[tuple[str, str]]:
    """What the silhouette, restarts and resamples say, each under its name."""
    told = []
    p = found.parting
    if p is None or isinstance(p, Failed):
        told.append(("silhouette", "needs two clusters at least." if p is None else str(p)))
    else:
        measured = [(c, width) for c, width in p.by_cluster.items() if not math.isnan(width)]
        each = ", ".join(f"{c}: {_short(width)}" for c, width in measured[:MOST_TOLD])
        drawn = f", from {p.rows:,} rows drawn" if p.sampled else ""
        words = f"{_short(p.mean)} ± {_short(p.half)} (95 %{drawn}): {p.words}. By cluster {each}."
        told.append(("silhouette", words))
    for name, what, a in (
        ("restarts", "fits from other starts", found.restarts),
        ("resamples", "fits to 80 % of the rows", found.resamples),
    ):
        if isinstance(a, Failed):
            told.append((name, str(a)))
        elif a is not None:
            drawn = f" ({a.rows:,} drawn)" if a.sampled else ""
            doubt = f"95 % {_short(a.low)} … {_short(a.high)}; adjusted Rand index, 1 is the same"
            worse = f"; {a.unlucky} ended clearly worse than the best" if a.unlucky else ""
            worse += f", the others agree by {_short(a.lucky)}" if a.unlucky and not math.isnan(a.lucky) else ""
            told.append((name, f"{a.runs} {what}{drawn} agree by {_short(a.mean)} ({doubt}){worse}: {a.words}."))
    return told


def _short(x: float) -> str:
    return number(round(x, 3))


def findings_dict(found: Findings) -> dict[str, Any]:
    """Everything for programs."""
    return {
        "source": found.source,
        "learner": type(found.model).__name__,
        "settings": {key: repr(value) for key, value in found.model.get_params(deep=False).items()},
        "rows": found.table.n_rows,
        "columns": list(found.table.names),
        "notices": list(found.notices),
        "notes": [asdict(note) for note in found.table.notes],
        "n_clusters": found.n_clusters,
        "noise": found.noise,
        "clusters": found.profile.to_dict(),
        "silhouette": _part(found.parting),
        "restarts": _part(found.restarts),
        "resamples": _part(found.resamples),
        "classes": _part(found.versus),
        "rows_without_class": found.without_class if found.class_name is not None else None,
    }


def _part(found: Any) -> Any:
    """What is told of a part; null where there is none, and why where it failed."""
    return None if found is None else {"error": str(found)} if isinstance(found, Failed) else found.to_dict()
