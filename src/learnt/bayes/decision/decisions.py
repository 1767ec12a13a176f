"""From probabilities to answers: most probable, most likely, least risk, or none at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from learnt.bayes.decision.probabilities import checked_probabilities, class_place, divisible_priors
from learnt.data.table import Array
from learnt.errors import InputError, ParameterError
from learnt.learner.loss_matrix import REJECT, LossMatrix, action_label, loss_matrix, zero_one
from learnt.learner.parameters import Real
from learnt.show.html import html_table
from learnt.show.numbers import number
from learnt.show.text_table import aligned
from learnt.show.words import label, plain, spell

Rule = Literal["map", "ml", "risk", "reject"]
RULES = ("map", "ml", "risk", "reject")
#: Expected losses closer than this, relative to the largest cost, are ties; the first action wins.
TIE = 1e-12
SHOWN = 10


@dataclass(frozen=True, eq=False)
class Decision:
    """The answer to each row and what every answer was expected to cost.

    | field | meaning |
    |---|---|
    | `answers` | the action taken for each row; None where an answer is refused |
    | `expected_loss` | rows × actions |
    | `risk` | the expected loss of the action taken |
    | `rejected` | which rows get no answer |
    | `actions`, `loss`, `rule` | what could be answered, at what cost, and how it was chosen |
    """

    rule: str
    loss: LossMatrix
    expected_loss: Array
    chosen: Array

    @property
    def actions(self) -> tuple[Any, ...]:
        return self.loss.actions

    @property
    def answers(self) -> Array:
        return label_array(self.actions)[self.chosen]

    @property
    def risk(self) -> Array:
        taken: Array = self.expected_loss[np.arange(len(self.chosen)), self.chosen]
        return taken

    @property
    def rejected(self) -> Array:
        return np.array([a is REJECT for a in self.actions], dtype=bool)[self.chosen]

    def __len__(self) -> int:
        return len(self.chosen)

    def _rows(self) -> list[list[str]]:
        rows = [["row", "answer", *(f"loss of {action_label(a)}" for a in self.actions)]]
        for i in range(min(len(self), SHOWN)):
            answer = action_label(self.actions[self.chosen[i]])
            rows.append([str(i), answer, *map(number, self.expected_loss[i].tolist())])
        return rows

    def __str__(self) -> str:
        lines = aligned(self._rows(), left=(0,))
        return lines if len(self) <= SHOWN else f"{lines}\n… and {len(self) - SHOWN} more rows"

    def __repr__(self) -> str:
        return f"<Decision by {self.rule!r} for {len(self)} rows>"

    def _repr_html_(self) -> str:
        head, *rows = self._rows()
        return html_table(head, rows, left=(0, 1))


def decide(
    proba: Any,
    loss: Any = None,
    *,
    rule: Rule | None = None,
    classes: Sequence[Any] | None = None,
    priors: Any = None,
    reject_cost: float | None = None,
) -> Decision:
    """Choose an action for each row of class probabilities, and show what each would cost.

        risk(a | x) = Σ_c p(c | x) · loss(c, a)

    >>> print(decide([[0.9, 0.1], [0.99, 0.01]], {("ill", "well"): 50, ("well", "ill"): 1}, classes=["well", "ill"]))
    row  answer  loss of 'well'  loss of 'ill'
    0     'ill'               5            0.9
    1    'well'             0.5           0.99

    | rule | the answer is |
    |---|---|
    | `"map"` | the most probable class |
    | `"ml"` | the class that makes the row most likely: p(c) / prior(c) is largest; needs `priors` |
    | `"risk"` | the action of least expected loss; the default where a loss is given |
    | `"reject"` | the same, or None where even that costs more than `reject_cost` |

    `proba` is rows × classes, or one row. `loss` takes all the forms of `loss_matrix`; without it every error
    costs 1. `priors` are probabilities in the order of the classes, or a dict by class. Of equal expected losses
    (to 12 digits) the first action wins; to refuse comes last.
    """
    p = checked_probabilities(proba)
    if rule is None:
        rule = "reject" if reject_cost is not None else "map" if loss is None else "risk"
    if rule not in RULES:
        raise ParameterError(f"There is no rule {rule!r}. Expected one of {', '.join(map(repr, RULES))}.")
    if (rule == "reject") != (reject_cost is not None):
        raise ParameterError(
            f"rule={rule!r} came with reject_cost={reject_cost!r}. The rule 'reject' needs the cost of refusing an "
            "answer, and no other rule has one."
        )
    if classes is None:  # a dict has no order of its own that could be the columns'
        classes = loss.classes if isinstance(loss, LossMatrix) else range(p.shape[1])
    names = tuple(map(plain, classes))
    if len(names) != p.shape[1]:
        raise InputError(
            f"There are {p.shape[1]} columns of probabilities and {len(names)} classes. They must pair up."
        )
    matrix = zero_one(names) if loss is None else loss_matrix(loss, names)
    if reject_cost is not None:
        matrix = matrix.with_reject(_finite(reject_cost, "reject_cost"))
    expected = matrix.expected(p)
    if rule in ("map", "ml"):
        best = p if rule == "map" else p / divisible_priors(priors, names, "The rule 'ml'")
        chosen = _as_actions(best.argmax(axis=1), matrix)
    else:
        # The margin belongs to the costs, not to the rows asked with it: one row is decided as among many.
        margin = TIE * float(np.abs(matrix.costs).max(initial=0))
        chosen = (expected <= expected.min(axis=1, keepdims=True) + margin).argmax(axis=1)
    return Decision(rule, matrix, expected, chosen)


def optimal_threshold(loss: Any, classes: Sequence[Any] | None = None, *, positive: Any = None) -> float:
    """Answer `positive` when its probability exceeds this. For two classes.

        t = (ℓ(−,+) − ℓ(−,−)) / (ℓ(−,+) − ℓ(−,−) + ℓ(+,−) − ℓ(+,+)),   ℓ(truth, answer)

    >>> round(1 / optimal_threshold({("ill", "well"): 50, ("well", "ill"): 1}, positive="ill"), 9)
    51.0

    `positive` is the second class unless it is given.
    """
    matrix = loss_matrix(loss, classes)
    if len(matrix.classes) != 2 or matrix.actions != matrix.classes:
        raise ParameterError(
            f"The loss has {len(matrix.classes)} classes and the answers {list(matrix.actions)}. A threshold needs two "
            "classes and no other answers. Use decide(…, rule='risk') for more."
        )
    plus = 1 if positive is None else class_place(positive, matrix.classes)
    false_alarm = float(matrix.costs[1 - plus, plus] - matrix.costs[1 - plus, 1 - plus])
    missed = float(matrix.costs[plus, 1 - plus] - matrix.costs[plus, plus])
    if not (false_alarm > 0 and missed > 0):
        raise ParameterError(
            f"A false alarm costs {number(false_alarm)} more than being right, a missed case {number(missed)}. "
            "Expected both above 0: otherwise one answer is always best and there is no threshold."
        )
    return false_alarm / (false_alarm + missed)


def label_array(labels: Sequence[Any]) -> Array:
    """Labels as an array that gives each back as it was."""
    array = np.array(labels) if labels and len({type(a) for a in labels}) == 1 else np.array([*labels, None])[:-1]
    return array if array.ndim == 1 else np.fromiter(labels, dtype=object, count=len(labels))


def _as_actions(classes: Array, matrix: LossMatrix) -> Array:
    """The actions that answer with these classes."""
    places = {a: i for i, a in enumerate(matrix.actions)}
    absent = [c for c in matrix.classes if c not in places]
    if absent:
        raise ParameterError(
            f"The loss has no answer {label(absent[0])}. The rules 'map' and 'ml' answer with a class."
        )
    places_of_classes = np.array([places[c] for c in matrix.classes])
    chosen: Array = places_of_classes[classes]
    return chosen


def _finite(value: Any, name: str) -> float:
    if value not in Real():
        raise ParameterError(f"{name}={spell(value)} is not a cost. Expected a finite number.")
    return float(value)
