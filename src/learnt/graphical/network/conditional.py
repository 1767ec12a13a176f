"""Rows drawn given evidence, exactly: one variable after the other from its posterior given all drawn before."""

from __future__ import annotations

import numpy as np

from learnt.data.table import Array
from learnt.graphical.inference.compiled import Compiled
from learnt.graphical.inference.conflict import impossible
from learnt.graphical.inference.evidence import Findings, distinct_rows
from learnt.graphical.inference.sampling import draw_states


def draw_given(compiled: Compiled, findings: Findings, n: int, rng: np.random.Generator) -> Array:
    """n rows of states; the states seen are kept."""
    rows = np.repeat(findings.codes, n, axis=0)
    soft = findings.likelihood(compiled)
    for v in range(len(compiled.names)):
        if findings.codes[0, v] >= 0:
            continue
        different, place = distinct_rows(rows)
        (found,), log_evidence = compiled.posteriors(different, soft, [(v,)])
        if not np.isfinite(log_evidence).all():
            raise impossible(compiled, findings)
        rows[:, v] = draw_states(found[place], n, rng)
    return rows
