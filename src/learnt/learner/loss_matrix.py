"""What a wrong answer costs: loss matrices from dicts, arrays, frames and files."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.errors import FileError, ParameterError
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label, plain, short_repr, spell
from learnt.storable import storable

#: What a refusal to answer is called among the actions.
REJECT = None


@storable
@dataclass(frozen=True, eq=False)
class LossMatrix:
    """The cost of each answer to each truth: `costs` has a row per class and a column per action.

    >>> print(LossMatrix(("ill", "well"), ("ill", "well"), np.array([[0.0, 50.0], [1.0, 0.0]])))
    truth \\ answer  'ill'  'well'
    'ill'               0      50
    'well'              1       0
    """

    classes: tuple[Any, ...]
    actions: tuple[Any, ...]
    costs: Array

    def __post_init__(self) -> None:
        shape = (len(self.classes), len(self.actions))
        if self.costs.shape != shape:
            raise ParameterError(
                f"The loss has shape {self.costs.shape}. Expected {shape}: a row per true class, a column per answer."
            )
        if not np.isfinite(self.costs).all():
            c, a = (int(i[0]) for i in np.nonzero(~np.isfinite(self.costs)))
            raise ParameterError(
                f"The loss of answering {label(self.actions[a])} when the truth is {label(self.classes[c])} is "
                f"{self.costs[c, a]}. Expected a finite number. Use a large cost for what must not happen."
            )

    def expected(self, proba: Array) -> Array:
        """The expected loss of each action, rows × actions: Σ_c p(c) · loss(c, action)."""
        total = np.zeros((len(proba), len(self.actions)))
        for c in range(len(self.classes)):  # class by class, so that a row's bits do not depend on other rows
            total += proba[:, c, None] * self.costs[c]
        return total

    def with_reject(self, cost: float) -> LossMatrix:
        """The same with one more action, to refuse an answer, which always costs the same."""
        return LossMatrix(
            self.classes, (*self.actions, REJECT), np.column_stack([self.costs, np.full(len(self.classes), cost)])
        )

    def __str__(self) -> str:
        head = ["truth \\ answer", *map(action_label, self.actions)]
        rows = [[label(c), *map(number, row)] for c, row in zip(self.classes, self.costs.tolist(), strict=True)]
        return aligned([head, *rows], left=(0,))


def zero_one(classes: Sequence[Any]) -> LossMatrix:
    """Every error costs 1."""
    return LossMatrix(tuple(classes), tuple(classes), 1 - np.eye(len(classes)))


def loss_matrix(loss: Any, classes: Sequence[Any] | None = None) -> LossMatrix:
    """A loss in any form, for these classes in this order.

    | form | example |
    |---|---|
    | pairs (truth, answer) | `{("ill", "well"): 50, ("well", "ill"): 1}`; right answers left out cost 0 |
    | by truth | `{"ill": {"well": 50}, "well": {"ill": 1}}` |
    | matrix | `[[0, 50], [1, 0]]`, rows truth, columns answer, in the order of the classes |
    | pandas frame | truths in its index, answers in its columns |
    | file | `.json` with one of the last two, or `.csv`: a header of answers, then a row per truth |

    Answers may be others than the classes, such as `"ask a doctor"`. Without `classes`, those the loss names.

    >>> loss_matrix({("ill", "well"): 50, ("well", "ill"): 1}).costs.tolist()
    [[0.0, 50.0], [1.0, 0.0]]
    """
    if isinstance(loss, LossMatrix):
        return loss if classes is None else _ordered(_pairs_of(loss), classes)
    if isinstance(loss, str | os.PathLike):
        return loss_matrix(_from_file(Path(loss)), classes)
    if hasattr(loss, "index") and hasattr(loss, "columns") and hasattr(loss, "to_numpy"):
        frame = LossMatrix(tuple(loss.index), tuple(loss.columns), np.asarray(loss.to_numpy(), dtype=np.float64))
        return loss_matrix(frame, classes)
    if isinstance(loss, Mapping):
        return _ordered(_pairs(loss), classes)
    try:
        costs = np.asarray(loss, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(
            f"loss={short_repr(loss)} is not a loss. Expected a dict of costs by (truth, answer), a matrix of numbers "
            "with a row per true class, or the name of a file."
        ) from None
    if costs.ndim != 2 or costs.shape[0] == 0:
        raise ParameterError(f"The loss has shape {costs.shape}. Expected a row per true class, a column per answer.")
    names = tuple(range(len(costs))) if classes is None else tuple(map(plain, classes))
    return LossMatrix(names, names, costs)


def _pairs(loss: Mapping[Any, Any]) -> dict[tuple[Any, Any], float]:
    if loss and all(isinstance(row, Mapping) for row in loss.values()):
        return {(c, a): _cost(cost, c, a) for c, row in loss.items() for a, cost in row.items()}
    for key in loss:
        if not isinstance(key, tuple) or len(key) != 2:
            raise ParameterError(
                f"The loss has the key {short_repr(key)}. Expected pairs (truth, answer), or per truth a dict of "
                "answers."
            )
    return {(c, a): _cost(cost, c, a) for (c, a), cost in loss.items()}


def _pairs_of(loss: LossMatrix) -> dict[tuple[Any, Any], float]:
    return {(c, a): float(loss.costs[i, j]) for i, c in enumerate(loss.classes) for j, a in enumerate(loss.actions)}


def _cost(cost: Any, truth: Any, answer: Any) -> float:
    try:
        return float(cost)
    except (TypeError, ValueError):
        raise ParameterError(
            f"The loss of answering {label(answer)} when the truth is {label(truth)} is {short_repr(cost)}. "
            "Expected a number."
        ) from None


def _ordered(pairs: dict[tuple[Any, Any], float], classes: Sequence[Any] | None) -> LossMatrix:
    """Pairs as a matrix in the order of the classes, then of further answers as they come."""
    if not pairs:
        raise ParameterError("The loss is empty. Expected costs by (truth, answer).")
    truths = list(dict.fromkeys(c for c, _ in pairs)) if classes is None else [plain(c) for c in classes]
    place = _Places(truths)
    for c, _ in pairs:
        if place(c) is None:
            raise ParameterError(
                f"The loss speaks of the class {label(c)}, which is not among {', '.join(map(label, truths[:8]))}. "
                "Expected the labels of the target, or give classes= in the order of the probabilities."
            )
    further = list(dict.fromkeys(a for _, a in pairs if place(a) is None))
    named = {place(a) for _, a in pairs if place(a) is not None}
    # Answers among the classes are offered if any is; a loss may also speak of other actions alone.
    inner = [i for i in range(len(truths)) if i in named] if further else list(range(len(truths)))
    costs = np.full((len(truths), len(inner) + len(further)), np.nan)
    for column, i in enumerate(inner):
        costs[i, column] = 0.0  # a right answer costs nothing, unless it is said to
    for (c, a), cost in pairs.items():
        at = place(a)
        costs[place(c), further.index(a) + len(inner) if at is None else inner.index(at)] = cost
    actions = (*(truths[i] for i in inner), *further)
    absent = np.argwhere(np.isnan(costs))
    unsaid = [(c, a) for c, a in absent.tolist() if not _said_nan(pairs, truths[c], actions[a])]
    if unsaid:
        c, a = unsaid[0]
        raise ParameterError(
            f"The loss does not say what answering {label(actions[a])} costs when the truth is {label(truths[c])}. "
            "Expected a cost for every wrong answer."
        )
    return LossMatrix(tuple(truths), actions, costs)


def _said_nan(pairs: dict[tuple[Any, Any], float], truth: Any, action: Any) -> bool:
    return any(str(c) == str(truth) and str(a) == str(action) for c, a in pairs)


class _Places:
    """Finds a class by its label, or by the label's text: files hold text only."""

    def __init__(self, classes: Sequence[Any]):
        self.exact = {c: i for i, c in enumerate(classes)}
        self.texts = {text: i for i, c in enumerate(classes) for text in _texts(c)}

    def __call__(self, name: Any) -> int | None:
        try:
            found = self.exact.get(plain(name))
        except TypeError:  # a list cannot be a label
            return None
        return self.texts.get(name.strip()) if found is None and isinstance(name, str) else found


def _texts(value: Any) -> set[str]:
    """How a label may be written in a file: 1.0 also as 1, True also as true."""
    texts = {str(value)}
    if isinstance(value, bool):
        texts.add(str(value).lower())
    elif isinstance(value, float) and value.is_integer():
        texts.add(str(int(value)))
    return texts


def _from_file(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise FileError(f"The loss cannot be read: {error}.", str(path)) from None
    if path.suffix.lower() == ".json":
        try:
            return json.loads(text)
        except ValueError as error:
            raise FileError(f"The loss is not JSON: {error}.", str(path)) from None
    if path.suffix.lower() != ".csv":
        raise FileError(f"A loss is read from .csv or .json, not from {path.suffix!r}.", str(path))
    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise FileError("The loss has no cells. Expected a header of answers, then a row per truth.", str(path))
    answers = [cell.strip() for cell in rows[0][1:]]
    costs: dict[str, dict[str, float]] = {}
    for at, (truth, *cells) in enumerate(rows[1:], 2):
        if len(cells) != len(answers) or truth.strip() in costs:
            what = "names a truth twice" if truth.strip() in costs else f"has {len(cells)} costs"
            raise FileError(
                f"The row of {spell(truth)} {what}. Expected one row per truth, {len(answers)} costs.", str(path)
            )
        try:
            costs[truth.strip()] = {a: float(cell) for a, cell in zip(answers, cells, strict=True)}
        except ValueError:
            raise FileError(f"The row of {spell(truth)} holds {cells}. Expected numbers.", str(path), at) from None
    return costs


def action_label(action: Any) -> str:
    return "reject" if action is REJECT else label(action)
