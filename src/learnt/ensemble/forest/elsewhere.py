"""Forests grown by the workers of a cluster.

Rows become codes where they are read, two bytes a cell; codes go from worker to worker, and each grows some of the
trees from all of them. A tree is the same whoever grows it, and no row comes to the client.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any

from learnt.data.table import Array
from learnt.engine.training import Training
from learnt.ensemble.forest.codes import Coding
from learnt.ensemble.forest.growth import Coded, CodedRows, CodeRows, Growth, coded_of, grow
from learnt.ensemble.forest.target_statistics import with_statistics
from learnt.ensemble.trees.forest import Forest
from learnt.watch import report

#: Jobs for each thread of the cluster: more even out what takes longer.
JOBS_A_THREAD = 4

Ground = tuple[Coded, Growth, Array | None]


def grow_elsewhere(
    learner: Any, training: Training, coding: Coding, first: int, end: int, known: float | None
) -> tuple[Forest, float]:
    """Trees `first` to `end` (excluded) of a forest, and how far their leaves are shrunk."""
    assert training.workers is not None
    name, grown = type(learner).__name__, 0

    def jobs(n_threads: int) -> Sequence[range]:
        size = -(-(end - first) // (JOBS_A_THREAD * max(n_threads, 1)))
        planned[:] = [range(start, min(start + size, end)) for start in range(first, end, size)]
        return planned

    def done(job: int) -> None:
        nonlocal grown
        grown += len(planned[job])
        report("trees", learner=name, iteration=first + grown, total=end)

    planned: list[range] = []
    ground = partial(_ground, learner, training.classes, coding, known)
    pieces = training.pieces()
    grown_there: list[tuple[Forest, float]] = training.workers.of_all(
        partial(_codes, coding), pieces, ground, _trees, jobs, done
    )
    forests, shrinkages = zip(*grown_there, strict=True)
    return reduce(Forest.joined, forests), shrinkages[0]


def _codes(coding: Coding, piece: Training) -> CodedRows:
    """The codes of a piece."""
    code = CodeRows(coding)
    return reduce(CodedRows.__add__, map(code.summarize, piece.rows()), CodedRows(0, []))


def _ground(
    learner: Any, classes: Array | None, coding: Coding, known: float | None, pieces: list[CodedRows]
) -> Ground:
    """What all trees are grown from."""
    parts = [part for piece in pieces for part in piece.parts]
    coded = coded_of(coding, CodedRows(sum(piece.rows for piece in pieces), parts))
    factors = learner._factors(coded)
    coded = with_statistics(coded, classes, factors)
    return coded, learner._growth(coded, classes, factors, known), factors


def _trees(ground: Ground, job: range) -> tuple[Forest, float]:
    coded, growth, factors = ground
    return grow(coded, growth, len(job), first=job.start, class_factors=factors)[0], growth.shrinkage
