"""What a learner answers to a scan: batch by batch here, or on a cluster by the workers who read its pieces."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from operator import add
from typing import Any

from learnt.data.files.scan import Scan
from learnt.data.table import Table
from learnt.errors import InputError
from learnt.learner.partitions.scores import Part, weight_of
from learnt.learner.partitions.sent import frozen


def answers_of_scan(scan: Scan, answer: Callable[[Table], Any]) -> list[Any]:
    """What a function, which can be pickled, answers to each batch, in their order."""
    if scan.workers is None:
        return [answer(batch) for batch in scan.batches()]
    pieces = scan.workers.each(partial(_answers_of_piece, answer), scan.pieces())
    return [one for piece in pieces for one in piece]


def _answers_of_piece(answer: Callable[[Table], Any], piece: Scan) -> list[Any]:
    return [answer(batch) for batch in piece.batches()]


def score_of_pieces(learner: Any, scan: Scan, y: Any = None, sample_weight: Any = None) -> float:
    """The score on all rows, from what each piece adds to it where it is read."""
    assert scan.workers is not None
    if not len(scan.schema):  # asked for first: by one look at all files, pieces know what their columns are
        raise InputError("The scan has no columns, and so no score.")
    ask = partial(_score_of_piece, frozen(learner), y, sample_weight)
    seen = [part for part in scan.workers.each(ask, scan.pieces()) if part is not None]
    if not seen:
        raise InputError("The scan has no rows that count, and so no score.")
    return float(reduce(add, seen).score())


def _score_of_piece(learner: Any, y: Any, sample_weight: Any, piece: Scan) -> Part | None:
    """What a piece adds; None where it has no rows that count."""
    if not weight_of(piece, sample_weight):
        return None
    part: Part = learner._part_of_score(piece, y, sample_weight)
    return part
