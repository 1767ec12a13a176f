"""A cluster instead of one machine: the same model, and no row comes to whoever asks for it."""

from __future__ import annotations

import pytest
from tests.conformance.checks import check
from tests.conformance.checks_scans import frame, goal, write_parquet
from tests.conformance.checks_text import answers_about, documents
from tests.conformance.subject import Subject, answers, assert_same_answers
from tests.conformance.tables import numbers

import learnt
from learnt.data.files.scan import Scan

TOLERANCE = 1e-10


def refuse(*_: object) -> None:
    raise AssertionError("rows were read outside the cluster")


@check("passes", unless=("text",), expensive=True)
def a_cluster_gives_the_model_of_one_machine(subject: Subject, tmp_path, small_cluster) -> None:
    """Two workers that read their own files find the model that is found here, and no row is read here."""
    table = frame(subject)
    if not (subject.can("nominal") and subject.can("missing")):
        table = with_numbers(table)
    source = learnt.scan(write_parquet(table, tmp_path, 7))
    alone = subject.fitted(source, goal(subject), "w")
    with learnt.cluster(small_cluster), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scan, "batches", refuse)
        patch.setattr(Scan, "cells", refuse)
        together = subject.fitted(learnt.scan(source.files), goal(subject), "w")
    assert_same_answers(answers(together, table), answers(alone, table), TOLERANCE)


def with_numbers(table):
    """The same target and weights beside columns of numbers alone."""
    import pyarrow as pa

    x = numbers(table.num_rows, 4)
    columns = {f"x{j}": x[:, j] for j in range(4)}
    return pa.table(columns | {name: table[name] for name in ("w", "goal") if name in table.column_names})


@check("passes", "text", expensive=True)
def a_cluster_reads_documents(subject: Subject, tmp_path, small_cluster) -> None:
    """Documents in files that workers read give the model of the list."""
    import pyarrow as pa

    y, texts = subject.target(60), documents()
    table = pa.table({"text": texts} | ({} if y is None else {"y": y.tolist()}))
    source = write_parquet(table, tmp_path, 3)
    with learnt.cluster(small_cluster), pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scan, "cells", refuse)
        together = subject.fitted(learnt.scan(source), None if y is None else "y")
    assert answers_about(together, texts) == answers_about(subject.fitted(texts, y), texts)
