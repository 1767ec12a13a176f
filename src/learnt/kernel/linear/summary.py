"""A linear machine in words: how it ended, and what weighs most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.linear import Grid, Printed
from learnt.show.numbers import figure, number


@dataclass(frozen=True, eq=False)
class MachineSummary(Printed):
    """`coef` are scores × columns, `intercept` one per score, in the units of the columns."""

    title: str
    sentences: tuple[str, ...]
    names: tuple[str, ...]
    scores: tuple[str, ...]
    coef: Array
    intercept: Array

    def _parts(self) -> list[str | Grid]:
        order = np.argsort(-np.abs(self.coef).max(axis=0), kind="stable")
        rows = [["(intercept)", *(figure(float(b)) for b in self.intercept)]]
        rows += [[self.names[j], *(figure(float(b)) for b in self.coef[:, j])] for j in order]
        head = ["", *self.scores] if len(self.scores) > 1 else ["", "coefficient"]
        return [self.title, *self.sentences, Grid(head, rows)]


def machine_summary(model: Any, name: str, scores: list[str]) -> MachineSummary:
    coef, intercept = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    used = int((coef != 0).any(axis=0).sum())
    gap, objective = np.atleast_1d(model.gap_), np.atleast_1d(model.objective_)
    share = float((gap / np.maximum(objective, np.finfo(float).tiny)).max(initial=0.0))
    ended = "converged" if model.converged_ else "stopped before it converged"
    rounds = int(np.max(model.n_iter_))
    counted = "1 round" if rounds == 1 else f"{rounds} rounds"
    sentences = (
        f"loss {model.loss}, C = {number(float(model.C))}; {ended} after {counted}, "
        f"the objective within {figure(share)} of its least",
        f"{used} of {coef.shape[1]} columns have a coefficient; the score: {', '.join(scores)}"
        if len(scores) == 1
        else f"{used} of {coef.shape[1]} columns have a coefficient; one score per class",
    )
    return MachineSummary(name, sentences, tuple(model.coefficient_names_), tuple(scores), coef, intercept)
