"""Learners of documents: one text per row, in whatever holds texts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.checks_settings import Untouchable, forbidden
from tests.conformance.subject import Subject, frozen

import learnt
from learnt import Table, _core
from learnt.errors import InputError, LearntError, NotFittedError, ParameterError

WORDS = ["Zürich", "straße", "don't", "rain", "SUN", "x_1", "ΟΔΟΣ", "中文字", "naïve", "sun", "42nd", "i̇stanbul", "a"]


def documents(n_rows: int = 60, seed: int = 0) -> list[Any]:
    """Texts of many scripts, some empty, some missing."""
    rng = np.random.default_rng(seed)
    texts: list[Any] = [" ".join(rng.choice(WORDS, rng.integers(0, 12))) for _ in range(n_rows)]
    texts[7::13] = [None] * len(texts[7::13])
    return texts


def fitted(subject: Subject, X: Any = None, n_rows: int = 60) -> Any:
    return subject.fitted(documents(n_rows) if X is None else X, subject.target(n_rows))


def answers_about(model: Any, X: Any) -> Any:
    """Everything the learner says about documents, as arrays."""
    found = [model.predict(X), model.predict_proba(X)] if hasattr(model, "predict") else []
    if hasattr(model, "transform"):
        rows = model.transform(X)
        found += [rows.indptr, rows.indices, rows.data, np.array(rows.shape)]
    return frozen(found)


def containers(texts: list[Any]) -> dict[str, Any]:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

    return {
        "list": texts,
        "tuple": tuple(texts),
        "array of objects": np.array(texts, dtype=object),
        "pandas objects": pd.Series(texts, dtype=object),
        "pandas strings": pd.Series(texts, dtype="string"),
        "pandas categories": pd.Series(texts, dtype="category"),
        "polars": pl.Series("text", texts),
        "Arrow": pa.array(texts),
        "Arrow in chunks": pa.chunked_array([texts[:9], [], texts[9:]], pa.large_string()),
        "Arrow views": pa.array(texts, pa.string_view()),
        "Arrow, a slice": pa.array(["other", *texts, "more"])[1:-1],
        "Table": Table({"text": texts}),
        "dict": {"text": texts},
        "pandas frame": pd.DataFrame({"text": texts}),
        "polars frame": pl.DataFrame({"text": texts}),
        "Arrow table": pa.table({"text": texts}),
        "list of dicts": [{"text": text} for text in texts],
    }


@check("text")
def every_container_of_texts_gives_the_same_model(subject: Subject) -> None:
    """Lists, arrays, series, Arrow columns and tables of one column give the same answers."""
    texts, other = documents(), documents(20, seed=5)
    expected = answers_about(fitted(subject), other)
    for name, given in containers(texts).items():
        assert answers_about(fitted(subject, given), other) == expected, name
    model = fitted(subject)
    for name, given in containers(other).items():
        assert answers_about(model, given) == expected, name


@check("text")
def a_missing_text_is_an_empty_one(subject: Subject) -> None:
    """None, NaN and pandas' NA count as documents without words."""
    import pandas as pd

    texts = documents()
    empty = ["" if text is None else text for text in texts]
    expected = answers_about(fitted(subject, empty), ["", "rain", ""])
    assert answers_about(fitted(subject, texts), [None, "rain", np.nan]) == expected
    assert answers_about(fitted(subject, texts), [pd.NA, "rain", None]) == expected


@check("text")
def what_is_not_text_is_named(subject: Subject) -> None:
    """A number among the texts is an error with its row; so are a bare string and a column of numbers."""
    with pytest.raises(InputError, match=r"Row 3 .*7"):
        fitted(subject, ["rain"] * 3 + [7] + ["sun"] * 56)
    for bad in ("rain sun", {"x": np.arange(60.0)}, np.ones((60, 2)), 5):
        with pytest.raises(InputError):
            fitted(subject, bad)


@check("text")
def of_several_columns_the_text_must_be_named(subject: Subject) -> None:
    """A table of two columns is an error that lists them."""
    with pytest.raises(InputError, match=r"'a', 'b'.*column"):
        fitted(subject, {"a": documents(), "b": documents()})


@check("text")
def no_documents_are_an_error(subject: Subject) -> None:
    """Neither fitting nor asking works on nothing."""
    model = fitted(subject)
    for use in (lambda: subject.new().fit([], subject.target(0)), lambda: answers_about(model, [])):
        with pytest.raises(InputError, match=r"0 sample|no document"):
            use()


@check("text")
def documents_can_be_fitted_in_a_row(subject: Subject) -> None:
    """`fit` returns the learner itself; a second `fit` forgets the first; a failed one changes nothing."""
    model = subject.new()
    assert model.fit(documents(), subject.target(60)) is model
    expected = frozen(model)
    fitted_elsewhere = fitted(subject, ["one two"] * 30 + ["three four"] * 30)
    fitted_elsewhere.fit(documents(), subject.target(60))
    assert frozen(fitted_elsewhere) == expected
    with pytest.raises(LearntError):
        model.fit([1, 2], subject.target(2))
    assert frozen(model) == expected


@check("text")
def a_learner_of_documents_not_fitted_says_so(subject: Subject) -> None:
    """Asking before fitting is a NotFittedError."""
    with pytest.raises(NotFittedError, match=subject.name):
        answers_about(subject.new(), documents())


@check("text")
def wrong_settings_are_named_before_a_text_is_read(subject: Subject) -> None:
    """A value outside its domain is a ParameterError at fit, before the documents are touched."""
    for name, domain in subject.entry.cls.domains.items():
        for value in forbidden(domain):
            with pytest.raises(ParameterError, match=f"{subject.name}: {name}="):
                subject.new(**{name: value}).fit(Untouchable(), Untouchable())


@check("text")
def asking_about_documents_changes_nothing(subject: Subject) -> None:
    """Answers leave the model and the list of texts as they were, and each row's as it is alone."""
    model, texts = fitted(subject), documents()
    before = frozen(model)
    answers_about(model, texts)
    assert frozen(model) == before
    assert texts == documents()
    if hasattr(model, "predict_proba"):
        alone = np.concatenate([model.predict_proba([text]) for text in texts])
        np.testing.assert_array_equal(alone, model.predict_proba(texts))


@check("text", expensive=True)
def threads_change_no_bit_of_a_bag(subject: Subject) -> None:
    """One thread or three, the model and its answers are the same."""
    texts, former, seen = documents(3000, seed=2), _core.get_threads(), []
    try:
        for threads in (1, 3):
            _core.set_threads(threads)
            model = fitted(subject, texts, 3000)
            seen.append((frozen(model), answers_about(model, texts)))
    finally:
        _core.set_threads(former)
    assert seen[0] == seen[1]


@check("text")
def the_order_of_documents_does_not_matter(subject: Subject) -> None:
    """Shuffled documents give the same model."""
    texts, y = documents(), subject.target(60)
    order = np.random.default_rng(1).permutation(60)
    one = subject.fitted(texts, y)
    other = subject.fitted([texts[i] for i in order], None if y is None else y[order])
    assert answers_about(one, texts) == answers_about(other, texts)


@check("text")
def a_saved_learner_of_documents_gives_the_same_answers(subject: Subject, tmp_path) -> None:
    """Saved, pickled and copied models answer alike; the documents are not in them."""
    model = fitted(subject)
    expected = answers_about(model, documents(20, seed=5))
    learnt.save(model, tmp_path / "model.learnt")
    for twin in (learnt.load(tmp_path / "model.learnt"), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert answers_about(twin, documents(20, seed=5)) == expected
    assert len(pickle.dumps(fitted(subject, documents(6000), 6000))) < 20_000


@check("text", "passes")
def a_scan_of_documents_gives_the_model_of_the_list(subject: Subject, tmp_path) -> None:
    """Parquet, JSON lines and CSV, in batches of a few rows, give the answers of the documents in memory."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    y, texts = subject.target(60), documents()
    plain = [text or "no words in two" for text in texts]  # an empty cell of CSV is a missing one
    columns = {"text": plain} | ({} if y is None else {"y": y.tolist()})
    pq.write_table(pa.table(columns), tmp_path / "a.parquet")
    lines = [json.dumps(dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    rows = [",".join(f'"{cell}"' for cell in row) for row in zip(*columns.values(), strict=True)]
    (tmp_path / "a.csv").write_text("\n".join([",".join(columns), *rows]), encoding="utf-8")
    expected = answers_about(subject.fitted(plain, y), plain)
    for name in ("a.parquet", "a.jsonl", "a.csv"):
        scan = learnt.scan(tmp_path / name, batch_rows=7)
        model = subject.fitted(scan, None if y is None else "y")
        assert answers_about(model, plain) == expected, name
        if hasattr(model, "predict"):
            np.testing.assert_array_equal(model.predict(scan), model.predict(plain))


@check("text", task="classification")
def explanations_of_documents_add_up(subject: Subject) -> None:
    """The log-odds of the words and of the prior are those of the prediction."""
    model, texts = fitted(subject), documents()
    logs = np.sort(model.predict_log_proba(texts), axis=1)
    for i, told in enumerate(model.explain(texts)):
        assert told.prediction == model.predict(texts)[i]
        assert told.add_up() == pytest.approx(logs[i, -1] - logs[i, -2], abs=1e-9)
        assert {e.column for e in told.evidence} <= set(model.bag_.vocabulary_)


@check("text", "weights")
def a_document_twice_is_a_weight_of_two(subject: Subject) -> None:
    """Documents of weight two count as if they stood there twice."""
    texts, y = documents(), subject.target(60)
    twice = np.repeat(np.arange(60), np.where(np.arange(60) % 3 == 0, 2, 1))
    weighted = subject.fitted(texts, y, np.where(np.arange(60) % 3 == 0, 2.0, 1.0))
    repeated = subject.fitted([texts[i] for i in twice], y[twice])
    np.testing.assert_allclose(weighted.predict_proba(texts), repeated.predict_proba(texts), rtol=1e-10)
