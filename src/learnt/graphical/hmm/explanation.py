"""Why a row has its state: what the rows before it say, the row itself, and the rows after it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from learnt.data.table import Array
from learnt.explain import Evidence, Explanation, Explanations
from learnt.graphical.hmm.layout import Cells
from learnt.graphical.hmm.sequences import Sequences
from learnt.graphical.hmm.walks import Walks
from learnt.show.numbers import number, percent
from learnt.show.words import label

if TYPE_CHECKING:
    from learnt.graphical.hmm.answers import Answers

LATER = "later rows"


def explain_rows(model: Answers, sequences: Sequences, cells: Cells) -> Explanations:
    """Explanations by the rows as they were given, each made when it is asked for.

    log p(a | all)/p(b | all) = log p(a | before)/p(b | before) + Σ_j log p(x_j | a)/p(x_j | b)
                                + log p(after | a)/p(after | b)
    """
    path, _ = model._paths(sequences, cells)
    filtered = model._walk(sequences, cells, back=False).alpha
    walks = Walks(cells, sequences.offsets, model._chain.states)
    walks.walk(model._chain, model._emissions, back=True)
    posterior = walks.posterior(model._chain, model._emissions)
    k = model._chain.states
    place = np.empty(cells.rows, np.int64)
    place[np.arange(cells.rows) if sequences.listed else sequences.places] = np.arange(cells.rows)

    def make(i: int) -> Explanation:
        row = int(place[i])
        begins = row == sequences.offsets[sequences.sequence_of(row)]
        before = model._chain.start if begins else filtered[row - 1, :k] @ model._chain.transition
        return _explain(model, sequences, cells, row, int(path[row]), before, posterior[row])

    return Explanations(cells.rows, make)


def _explain(
    model: Answers, sequences: Sequences, cells: Cells, row: int, best: int, before: Array, posterior: Array
) -> Explanation:
    names, states = model._schema.names, model._states
    labels = [column.labels()[0] for column in sequences.table.rows(row, row + 1).columns]
    terms = model._emissions.terms(model._layout, cells, row)
    order = [int(c) for c in np.argsort(-posterior, kind="stable") if c != best]
    rivals = [c for c in order if posterior[c] > 0]
    if not rivals or posterior[best] == 0:
        told = tuple(Evidence(_named(names, places), _cell(labels, places), 0.0) for places, _ in terms)
        return Explanation(states[best], "log-odds", 0.0, "the only state that is possible", told, 0.0, "log-odds")
    other = rivals[0]
    with np.errstate(divide="ignore"):
        total = float(np.log(posterior[best]) - np.log(posterior[other]))
        start = float(np.log(before[best]) - np.log(before[other]))
    told_columns = [
        Evidence(
            _named(names, places),
            _cell(labels, places),
            float(logs[best] - logs[other]),
            "missing, says nothing" if _missing(labels, places) else _words(model, places, best, other, labels),
        )
        for places, logs in terms
    ]
    rest = total - math.fsum([start, *(e.contribution for e in told_columns)])
    later = int(sequences.offsets[sequences.sequence_of(row) + 1]) - row - 1
    words = f"{number(math.exp(min(rest, 700.0)))} times as likely after {label(states[best])}" if later else "none"
    evidence = (*told_columns, Evidence(LATER, later, rest if later else 0.0, words))
    begins = row == sequences.offsets[sequences.sequence_of(row)]
    known = "start" if begins else "the rows before"
    odds = f"{percent(float(before[best]))} against {percent(float(before[other]))} by {known}"
    return Explanation(
        prediction=states[best],
        kind="log-odds",
        base=start,
        base_words=odds,
        evidence=evidence,
        total=math.fsum([start, *(e.contribution for e in evidence)]),
        total_words=f"log-odds against {label(states[other])}",
        alternatives=tuple((states[c], float(np.log(posterior[c]) - np.log(posterior[best]))) for c in rivals),
    )


def _named(names: tuple[str, ...], places: tuple[int, ...]) -> str:
    return ", ".join(names[j] for j in places)


def _cell(labels: list[object], places: tuple[int, ...]) -> object:
    return labels[places[0]] if len(places) == 1 else ", ".join(label(labels[j]) for j in places)


def _missing(labels: list[object], places: tuple[int, ...]) -> bool:
    return all(labels[j] is None for j in places)


def _words(model: Answers, places: tuple[int, ...], best: int, other: int, labels: list[object]) -> str:
    """What the two states emit there."""
    if len(places) > 1:
        return ""
    (j,) = places
    column = model._schema.columns[j]
    if column.coded:
        p = model._emissions.probabilities(model._layout, j)[list(column.categories).index(labels[j])]
        return f"{percent(float(p[best]))} against {percent(float(p[other]))}"
    mean, variance = model._emissions.moments(model._layout, j)
    if model._layout.kind(j) == "poisson":
        return f"{number(mean[best])} a row against {number(mean[other])}"
    a, b = (f"{number(float(mean[c]))} ± {number(math.sqrt(variance[c]))}" for c in (best, other))
    return f"{a} against {b}"
