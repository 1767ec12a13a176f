"""Every learner marked *passes*, however many workers there are and however its rows are cut."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from tests.conformance.checks_cluster import with_numbers
from tests.conformance.checks_scans import frame, goal, write_parquet
from tests.conformance.checks_text import answers_about, documents
from tests.conformance.subject import Subject, answers, assert_same_answers, quietly
from tests.conformance.tables import counts_only
from tests.engine.cluster.files import assert_same, bits
from tests.engine.cluster.test_engine import threads_as_workers

import learnt

pytest.importorskip("distributed", reason="a cluster needs distributed")

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1200), pytest.mark.xdist_group("cluster")]

#: Boosting takes 10,000 rows into memory.
N_ROWS, MANY_ROWS = 1_500, 10_500

WORKERS, PIECES = (1, 2, 4), (1, 7, 50)

#: How far fitted numbers may be apart where the last digits of the rows' scale are divided by small eigenvalues;
#: answers are not.
APART = {"NystroemFeatures": 1e-6}

PASSING = [Subject(entry) for entry in learnt.learners() if "passes" in entry.abilities]


@pytest.fixture(scope="module")
def clusters() -> Iterator[list[Any]]:
    """Clients of so many workers. That these may be processes, all other tests show."""
    with ExitStack() as stack:
        yield [stack.enter_context(threads_as_workers(n)) for n in WORKERS]


def rows_for(subject: Subject) -> Any:
    import pyarrow as pa

    if subject.can("text"):
        y, texts = subject.target(N_ROWS), documents(N_ROWS)
        return pa.table({"text": texts} | ({} if y is None else {"goal": y.tolist()}))
    table = frame(subject, MANY_ROWS if "Boosting" in subject.name else N_ROWS)
    return table if subject.can("nominal") and subject.can("missing") else with_numbers(table)


def fitted(subject: Subject, files: Any) -> Any:
    target = "goal" if subject.can("text") and subject.supervised else goal(subject)
    weights = "w" if subject.can("weights") and not subject.can("text") else None
    with quietly():
        return subject.fitted(learnt.scan(files), target, weights)


@pytest.mark.parametrize("subject", PASSING, ids=[subject.name for subject in PASSING])
def test_workers_and_pieces_change_no_more_than_the_last_digits(subject, clusters, tmp_path):
    """One, two and four workers and one, seven and fifty files: the model of one machine to ten digits, and the same
    bits whoever has which file."""
    with counts_only(subject.can("counts")):
        table = rows_for(subject)
    for n_pieces in PIECES:
        folder = tmp_path / str(n_pieces)
        folder.mkdir()
        files = write_parquet(table, folder, n_pieces)
        alone, found = fitted(subject, files), set()
        for client in clusters:
            with learnt.cluster(client):
                together = fitted(subject, files)
            found.add(bits(together))
            if subject.can("text"):
                texts = table["text"].to_pylist()[:100]
                assert answers_about(together, texts) == answers_about(alone, texts)
            else:
                assert_same_answers(answers(together, table), answers(alone, table), 1e-10)
                assert_same(together, alone, APART.get(subject.name, 1e-10))
        assert len(found) == 1, f"{n_pieces} files: other bits of other numbers of workers"
