"""Arrays in any layout, never written to."""

from __future__ import annotations

import pickle

import numpy as np
from tests.conformance.checks import check
from tests.conformance.subject import Subject, answers, assert_same_answers, frozen
from tests.conformance.tables import as_table, mixed, numbers

from learnt import Table


def layouts(x: np.ndarray) -> dict[str, np.ndarray]:
    """The same numbers in memory orders kernels rarely meet."""
    wide = np.empty((len(x), 3 * x.shape[1]), x.dtype)
    wide[:, ::3] = x
    tall = np.empty((2 * len(x), x.shape[1]), x.dtype)
    tall[1::2] = x
    return {
        "Fortran": np.asfortranarray(x),
        "every third column": wide[:, ::3],
        "every second row": tall[1::2],
        "backwards": np.ascontiguousarray(x[::-1, ::-1])[::-1, ::-1],
        "other byte order": x.astype(x.dtype.newbyteorder()),
    }


@check(by_thirds=True)
def the_layout_of_an_array_does_not_matter(subject: Subject) -> None:
    """Fortran order, strides, negative strides and foreign byte order change nothing, in both precisions."""
    for dtype in (np.float64, np.float32):
        x, other = numbers(dtype=dtype), numbers(20, seed=8, dtype=dtype)
        model = subject.fitted(x)
        expected = answers(model, other)
        for same in layouts(x).values():
            assert_same_answers(answers(subject.fitted(same), other), expected, rtol=1e-12)
        for same in layouts(other).values():
            assert_same_answers(answers(model, same), expected, rtol=1e-12)


def unaligned(array: np.ndarray) -> np.ndarray:
    """The same cells a byte beside where a processor wants them, as in packed records and files mapped into memory."""
    room = np.empty(array.nbytes + 1, np.uint8)
    room[1:] = np.frombuffer(array.tobytes(), np.uint8)
    return room[1:].view(array.dtype).reshape(array.shape)


def records(x: np.ndarray) -> np.ndarray:
    """The columns of a matrix as fields of packed records, behind a byte: strides are no multiple of any number."""
    names = [f"x{j}" for j in range(x.shape[1])]
    packed = np.zeros(len(x), [("flag", np.int8), *((name, x.dtype) for name in names)])
    for name, column in zip(names, x.T, strict=True):
        packed[name] = column
    return packed[names]


@check(by_thirds=True)
def packed_records_and_unaligned_arrays_are_enough(subject: Subject) -> None:
    """Rows, target and weights may lie anywhere in memory: structured arrays and unaligned ones change nothing."""
    x, other, y, w = numbers(), numbers(20, seed=8), subject.target(60), np.ones(60)
    model = subject.fitted(x, y, w if subject.can("weights") else None)
    expected = answers(model, other)
    odd_y, odd_w = None if y is None else unaligned(np.asarray(y)), unaligned(w) if subject.can("weights") else None
    assert_same_answers(answers(subject.fitted(unaligned(x), odd_y, odd_w), unaligned(other)), expected, rtol=1e-12)
    assert_same_answers(answers(model, unaligned(other.astype(np.float32))), answers(model, other.astype(np.float32)))
    named = subject.fitted({f"x{j}": x[:, j] for j in range(4)}, y)
    assert_same_answers(
        answers(subject.fitted(records(x), odd_y, odd_w), records(other)), answers(named, Table(records(other)))
    )
    for wrong in (unaligned(x.astype(x.dtype.newbyteorder())), records(x)["x1"].reshape(-1, 1)):
        subject.fitted(wrong, odd_y)


@check()
def one_repeated_row_in_memory_is_many_rows(subject: Subject) -> None:
    """Zero strides, as broadcasting makes them, are read like any others."""
    x = numbers()
    model, repeated = subject.fitted(x), np.broadcast_to(x[7], (9, 4))
    assert_same_answers(answers(model, repeated), answers(model, np.array(repeated)), rtol=1e-12)


@check()
def read_only_arrays_are_enough(subject: Subject) -> None:
    """Nothing is written into the user's arrays: read-only ones are accepted, and keep their bits."""
    x, y, w = numbers(), subject.target(60), np.ones(60)
    for array in (x, w) if y is None else (x, y, w):
        array.flags.writeable = False
    model = subject.fitted(x, y, w if subject.can("weights") else None)
    answers(model, x)
    assert x.tobytes() == numbers().tobytes()


@check("nominal", "missing")
def tables_keep_their_cells(subject: Subject) -> None:
    """Fitting and predicting leave the columns of a table as they were, gaps included."""
    table = as_table(mixed())
    before = [frozen(c) for c in table.columns]
    answers(subject.fitted(table), table)
    assert [frozen(c) for c in table.columns] == before


@check()
def single_precision_is_close_to_double(subject: Subject) -> None:
    """float32 rows, also far from the origin, give what their float64 copies give, to single precision."""
    x = (numbers() + 1000).astype(np.float32)
    y = subject.target(60)
    one, two = subject.from_given_start(x, y), subject.from_given_start(x.astype(np.float64), y)
    assert_same_answers(answers(one, x), answers(two, x.astype(np.float64)), rtol=2e-4)


@check()
def whole_numbers_are_numbers(subject: Subject) -> None:
    """Integer arrays give what their float copies give."""
    x = (numbers() * 10).astype(np.int16)
    expected = answers(subject.fitted(x.astype(np.float64)), x.astype(np.float64))
    for dtype in (np.int16, np.int64):
        assert_same_answers(answers(subject.fitted(x.astype(dtype)), x.astype(dtype)), expected, rtol=0)


@check(by_thirds=True)
def arrays_written_over_after_the_fit_change_nothing(subject: Subject) -> None:
    """What was learnt does not change with the arrays it was learnt from, nor does what is saved of it."""
    x, y, w, other = numbers(), subject.target(60), np.linspace(1, 2, 60), numbers(20, seed=8)
    y = y if y is None else np.array(y)
    model = subject.fitted(x, y, w if subject.can("weights") else None)
    expected = answers(model, other)
    for array in (x, y, w):
        if array is not None:
            array[:] = array[::-1].copy()
    x *= 3
    assert_same_answers(answers(model, other), expected)
    assert_same_answers(answers(pickle.loads(pickle.dumps(model)), other), expected)
