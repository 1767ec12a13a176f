"""A linear model as people read it: the sum itself, its coefficients in the user's units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learnt.data.design import Design
from learnt.data.table import Array
from learnt.linear.inference.printed import SHOWN, WIDTH, Grid
from learnt.show.numbers import MINUS, number
from learnt.show.words import label, short_name

#: Scores that stand side by side; more are cut off.
SCORES = 8


def written_sum(design: Design, coef: Array, intercept: Array, scores: Sequence[str]) -> str:
    """The sum of each score, under its name: terms below each other for one score, a table for several.

    Columns whose coefficients are all 0 are counted, not listed; of too many the largest are shown.
    """
    used = np.flatnonzero((coef != 0).any(axis=0))
    size = np.abs(coef).max(axis=0, initial=0.0)
    shown = np.sort(used[np.argsort(-size[used], kind="stable")[: SHOWN - 1]])
    names = [short_name(design.names[j], WIDTH) for j in shown]
    lines = [_terms(coef[0, shown], float(intercept[0]), names, scores[0])]
    if len(coef) > 1:
        head = ["", *(short_name(s, 20) for s in scores[:SCORES])]
        rows = [["intercept", *map(number, intercept[:SCORES])]]
        rows += [[name, *map(number, coef[:SCORES, j])] for name, j in zip(names, shown, strict=True)]
        lines = [Grid(head, rows).text()]
        if len(coef) > SCORES:
            lines.append(f"… and {len(coef) - SCORES:,} more classes")
    if len(used) > len(shown):
        lines.append(f"… and {len(used) - len(shown):,} terms with smaller coefficients")
    if idle := coef.shape[1] - len(used):
        told = "coefficients are 0" if len(coef) == 1 else "columns have the coefficient 0 in all classes"
        lines.append(f"{idle:,} of {coef.shape[1]:,} {told}")
    return "\n".join([*lines, *_bases(design, shown)])


def _terms(coef: Array, intercept: float, names: list[str], score: str) -> str:
    values = [intercept, *coef.tolist()]
    figures = [number(abs(v)) for v in values]
    wide = max(map(len, figures))
    signs = [MINUS if v < 0 else " " if k == 0 else "+" for k, v in enumerate(values)]
    parts = [""] + [f" · {name}" for name in names]
    terms = [f"  {sign} {f:>{wide}}{part}" for sign, f, part in zip(signs, figures, parts, strict=True)]
    return "\n".join([f"{score} =", *terms])


def _bases(design: Design, shown: Array) -> list[str]:
    """Which category of a nominal column the others are counted from."""
    columns = np.unique(design.owner[shown]).tolist() if len(shown) else []
    bases = [
        f"{short_name(design.schema.columns[j].name, WIDTH)} {label(design.schema.columns[j].categories[r])}"
        for j in columns
        if (r := int(design.reference[j])) >= 0 and design.schema.columns[j].kind == "nominal"
    ]
    return ["counted from " + ", ".join(bases)] if bases else []
