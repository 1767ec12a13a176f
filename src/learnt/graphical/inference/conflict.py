"""Which findings contradict each other, when the evidence is impossible."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.graphical.inference.compiled import MEMORY, Compiled
from learnt.graphical.inference.evidence import Findings
from learnt.graphical.inference.posterior import ImpossibleEvidence
from learnt.show.words import list_of, short_name


def impossible(compiled: Compiled, findings: Findings, memory: float = MEMORY) -> ImpossibleEvidence:
    """The error, with a smallest set of findings that contradict each other: none of them can be left out of it."""
    if compiled.width().bytes > memory:  # where nothing exact can be asked, who contradicts whom cannot be told
        return ImpossibleEvidence(
            "The evidence is impossible in this model. Leave out some of it, or smooth the tables."
        )
    kept = _variables(compiled, findings)
    for v in list(kept):
        without = [u for u in kept if u != v]
        if not _possible(compiled, findings, without, memory):
            kept = without
    names = tuple(name for name in findings.words if compiled.place[name] in kept)
    told = list_of([f"{short_name(name, 40)} = {findings.words[name]}" for name in names], most=12)
    if not names:
        return ImpossibleEvidence("The factors of the model are 0 everywhere: nothing is possible. Mend its tables.")
    if len(names) == 1:
        words = f"The evidence is impossible: {told} has the probability 0 here. Leave it out, or smooth the table."
    else:
        words = (
            f"The evidence is impossible: {told} cannot be true together in this model. "
            "Leave one of them out, or smooth the tables."
        )
    return ImpossibleEvidence(words, names)


def not_drawn(compiled: Compiled, findings: Findings, n: int, memory: float = MEMORY) -> InputError:
    """The error where no sample agrees with the evidence; that it is impossible is found exactly, where that can be."""
    if compiled.width().bytes <= memory and not _possible(compiled, findings, _variables(compiled, findings), memory):
        return impossible(compiled, findings, memory)
    return InputError(
        f"None of {n:,} samples agrees with the evidence, which is improbable or impossible. Raise n_samples, "
        "or ask exactly."
    )


def _variables(compiled: Compiled, findings: Findings) -> list[int]:
    return [compiled.place[name] for name in findings.words]


def _possible(compiled: Compiled, findings: Findings, kept: list[int], memory: float) -> bool:
    codes: Array = np.full_like(findings.codes, -1)
    codes[0, kept] = findings.codes[0, kept]
    part = Findings(codes, {v: s for v, s in findings.soft.items() if v in kept}, {})
    _, log_evidence = compiled.posteriors(codes, part.likelihood(compiled), [(0,)], memory)
    return bool(log_evidence[0] > -np.inf)
