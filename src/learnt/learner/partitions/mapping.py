"""A method of a learner mapped over the partitions of a Dask collection, lazily.

| rows | answers |
|---|---|
| frame or series of `dask.dataframe` | a series, or a frame of several columns: same partitions, same index |
| `dask.array` | an array in the same blocks of rows |
| a delayed frame, or a list of them | the same of what the method answers to such a frame |

`explain` gives a frame of `dask.dataframe` with a line for each row and column: its cell, what it adds, and how.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from learnt.data.dask.kinds import collection_kind
from learnt.data.schema import Schema
from learnt.errors import InputError, LearntError
from learnt.learner.partitions.answers import Question, numbered_from
from learnt.learner.partitions.example import example_array, example_frame, is_known
from learnt.learner.partitions.sent import Sent, as_delayed, frozen


def answers_of_partitions(learner: Any, method: str, X: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> Any:
    """What the learner, as it is now, will answer to each partition of `X`, which nobody looks at yet."""
    kind = collection_kind(X)
    if kind == "frame":
        return _of_frame(learner, Question(method, "frame", args, kwargs), X)
    if kind == "array":
        return _of_array(learner, Question(method, "array", args, kwargs), X)
    from dask.delayed import delayed

    question = delayed(Question(method, "as it is", args, kwargs), pure=False)
    sent = as_delayed(frozen(learner))
    if kind == "delayed":
        return question(delayed(X), sent)  # which may be a future
    return [question(delayed(part), sent) for part in X]


def schema_of(learner: Any) -> Schema | None:
    """The columns it was fitted on; None where it has none, or is not fitted, which it will say itself."""
    schema: Schema | None = learner._given_schema() if "_schema" in learner.__dict__ else None
    return schema


def wanted_columns(learner: Any, X: Any) -> Any:
    """A frame without the columns that the learner ignores, which then need not even be read."""
    schema = schema_of(learner)
    if X.ndim == 1 or schema is None or not schema.named:
        return X
    names = [name for name in X.columns if schema.place(str(name)) is not None]
    return X[names] if names and len(names) < len(X.columns) else X


def _of_frame(learner: Any, question: Question, X: Any) -> Any:
    import dask.dataframe as dd

    learner = frozen(learner, "pandas")
    if question.method == "inverse_transform":  # takes what `transform` gives, not the fitted columns
        meta = _meta_of(question, learner, example_frame(None, X._meta))
    else:
        X = wanted_columns(learner, X)
        meta = _meta_of_rows(question, learner, X._meta)
    meta = _without_unknown_categories(meta, X._meta)
    over: Any = dd.map_partitions
    lazily = {"enforce_metadata": False, "align_dataframes": False, "meta": meta}
    return over(replace(question, meta=meta), X, as_delayed(learner), **lazily)


def _meta_of_rows(question: Question, learner: Any, given: Any) -> Any:
    """An empty answer to rows of such partitions. Cells that are filled in may take a wider type than cells that pass
    as they are, so a transformer is asked about gaps first; one that takes none says so."""
    schema = schema_of(learner)
    if question.method == "transform" and schema is not None:
        with suppress(LearntError):
            return _meta_of(question, learner, example_frame(schema, given, gaps=True))
    return _meta_of(question, learner, example_frame(schema, given))


def _meta_of(question: Question, learner: Any, example: Any) -> Any:
    """An empty answer, by the answer to made-up rows."""
    return question(example, Sent(learner)).iloc[:0]


def _without_unknown_categories(meta: Any, given: Any) -> Any:
    """Columns whose categories no partition has told yet come back with as little known of them."""
    utils: Any = importlib.import_module("dask.dataframe.utils")
    if meta.ndim == 1 or given.ndim == 1:
        return meta
    both = [name for name in meta.columns if name in given.columns and meta[name].dtype == "category"]
    unknown = [name for name in both if not is_known(given[name].dtype)]
    return utils.clear_known_categories(meta, cols=unknown) if unknown else meta


def _of_array(learner: Any, question: Question, X: Any) -> Any:
    import dask.array as da

    if X.ndim != 2:
        raise InputError(
            f"The dask.array has {X.ndim} dimensions. Expected 2: rows and columns. "
            "Reshape your data, X[:, None] if it has one column."
        )
    X = X.rechunk({1: -1})
    learner = frozen(learner, "default")
    schema = None if question.method == "inverse_transform" else schema_of(learner)
    example = question(example_array(schema, X.shape[1], X.dtype), Sent(learner))
    sent = as_delayed(learner)
    if question.method == "explain":
        return _lines_of_blocks(question, X, sent, example)
    if example.ndim > 2:
        raise InputError(
            f"{question.method} gives {example.ndim} dimensions, which partitions cannot be put together from. "
            "Call it on some rows, X[:1000].compute()."
        )
    meta = example[:0]
    question = replace(question, meta=meta)
    over: Any = da.map_blocks
    if meta.ndim == 1:
        return over(question, X, sent, drop_axis=1, dtype=meta.dtype, meta=meta)
    return over(question, X, sent, chunks=(X.chunks[0], meta.shape[1:]), dtype=meta.dtype, meta=meta)


def _lines_of_blocks(question: Question, X: Any, sent: Any, example: Any) -> Any:
    """The explanations of blocks as one frame; its index counts the rows of the array."""
    from dask.dataframe import from_delayed
    from dask.delayed import delayed

    lengths = X.chunks[0]
    if any(np.isnan(length) for length in lengths):
        raise InputError(
            "The dask.array does not know how many rows its blocks have, so lines cannot say which row they speak of. "
            "Call X.compute_chunk_sizes() first."
        )
    ask = delayed(replace(question, meta=example.iloc[:0]), pure=False)
    number = delayed(numbered_from, pure=False)
    firsts = accumulate(lengths[:-1], initial=0)
    blocks = X.to_delayed().ravel().tolist()
    parts = [number(ask(block, sent), first) for block, first in zip(blocks, firsts, strict=True)]
    return from_delayed(parts, meta=example.iloc[:0], verify_meta=False)
