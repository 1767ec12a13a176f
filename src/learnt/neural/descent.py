"""Descending: epochs of steps, their lengths, rows held out, and when to end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.neural.given_loss import GivenLoss
from learnt.neural.inputs import NetInputs
from learnt.neural.net import Net, NetRows
from learnt.watch import report, watching

#: Epochs, and steps at least, where nobody says how many.
EPOCHS, STEPS = 60, 300
#: Weight decay where nobody says how much: that of AdamW moves weights by a share of a step's length, that of other
#: solvers is a part of the loss, where as much would leave little of the net.
ADAMW_DECAY, OTHER_DECAY = 0.1, 0.0005
#: A share of the steps at the beginning grows to the full length (cosine).
WARM_UP = 0.05


@dataclass(frozen=True)
class Schedule:
    """How long the steps are: "constant" η₀, "invscaling" η₀/t^power, "cosine" a half wave from η₀ to 0 over all."""

    kind: str
    eta0: float
    power: float = 0.5

    def rates(self, first: int, count: int, total: int) -> Array:
        """Of `count` steps from step `first` on, of `total` that are planned."""
        t = first + np.arange(count, dtype=np.float64)
        if self.kind == "invscaling":
            return np.asarray(self.eta0 / (t + 1) ** self.power)
        if self.kind == "cosine":
            warm = max(1.0, WARM_UP * total)
            falling = np.clip((t - warm) / max(total - warm, 1.0), 0, 1)
            return np.asarray(self.eta0 * np.minimum((t + 1) / warm, 0.5 * (1 + np.cos(np.pi * falling))))
        return np.full(count, self.eta0)


@dataclass(frozen=True)
class Course:
    """How a descent goes, on whatever rows."""

    owner: str
    inputs: NetInputs
    schedule: Schedule
    steps: dict[str, Any]  # of the core's NetSteps
    epochs: int | None  # None: as many as it takes
    shuffle: bool
    seed: int
    tolerance: float
    patience: int
    given: GivenLoss | None = None  # a loss that is not the core's
    device: str = "cpu"

    def lengths(self, n_rows: int) -> tuple[int, int, int]:
        """Rows of a batch, steps of an epoch, epochs."""
        batch = batch_length(self.steps["batch_size"], n_rows)
        per_epoch = -(-n_rows // batch)
        return batch, per_epoch, self.epochs or max(EPOCHS, -(-STEPS // per_epoch))

    def train(
        self, net: Net, rows: NetRows, order: Array, targets: Array, weights: Array | None, batch: int, rates: Array
    ) -> float:
        """Steps of `batch` rows in this order; Σ w L, each L before its step."""
        settings = self.steps | {"batch_size": batch, "first_step": net.steps, "seed": self.seed % 2**62}
        if self.device != "cpu":
            from learnt.neural import on_device

            return on_device.train(net, self.inputs, rows, order, targets, weights, settings, rates, self.device)
        return net.train(self.inputs, rows, order, targets, weights, _core.NetSteps(**settings), rates, self.given)


def course_of(
    model: Any, inputs: Any, *, anew: bool, dropout: float = 0.0, given: GivenLoss | None = None, device: str = "cpu"
) -> Course:
    """The course that a learner's settings say: over all epochs, or one of `partial_fit`, with steps of one length."""
    sgd = "sgd" if model.momentum == 0 else "nesterov" if model.nesterov else "momentum"
    steps = {
        "optimizer": {"adam": "adam", "sgd": sgd}.get(model.solver, "adamw"),
        "alpha": weight_decay(model.alpha, model.solver),
        "momentum": float(model.momentum),
        "beta1": 0.9,
        "beta2": 0.999 if model.learning_rate != "cosine" else 0.99,
        "epsilon": 1e-8,
        "dropout": dropout,
        "batch_size": model.batch_size,
    }
    return Course(
        owner=type(model).__name__,
        inputs=inputs,
        schedule=Schedule(model.learning_rate if anew else "constant", float(model.learning_rate_init)),
        steps=steps,
        epochs=model.max_iter if anew else 1,
        shuffle=bool(model.shuffle),
        seed=model._seed % 2**63,
        tolerance=float(model.tol),
        patience=int(model.n_iter_no_change),
        given=given,
        device=device,
    )


def weight_decay(alpha: Any, solver: str) -> float:
    """The number that a setting `alpha` says."""
    if isinstance(alpha, str):
        return ADAMW_DECAY if solver == "adamw" else OTHER_DECAY
    return float(alpha)


@dataclass(frozen=True)
class Descent:
    """What is descended on, and how."""

    course: Course
    rows: NetRows
    targets: Array
    weights: Array | None
    held_out: Array | None  # places


@dataclass(frozen=True, eq=False)
class Descended:
    net: Net
    losses: Array
    validation: Array
    best: int  # epochs of the net that is kept
    converged: bool


class Progress:
    """Epoch by epoch: the losses, the best net where rows are held out, and when to end."""

    def __init__(self, course: Course, net: Net, epochs: int, *, holds_out: bool):
        self.course, self.epochs, self.holds_out = course, epochs, holds_out
        self.losses: list[float] = []
        self.validation: list[float] = []
        self.kept, self.best, self.stale, self.least = net, 0, 0, math.inf
        self.ended = False

    def check(self, net: Net, loss: float) -> None:
        """Raise if the net ran away in the epoch that is over."""
        if not math.isfinite(loss) or not np.isfinite(net.parameters).all():
            eta = self.course.schedule.eta0
            where = f"in epoch {len(self.losses) + 1}: steps of length {eta:g} ran away"
            self._refuse(where, loss, ["a smaller alpha"] if eta * self.course.steps["alpha"] > 1 else [])

    def _refuse(self, where: str, loss: float, changes: list[str]) -> NoReturn:
        changes = [smaller_steps(self.course.schedule.eta0), *changes]
        raise InputError(ran_away(self.course.owner, where, loss, changes, self.course.inputs, self.course.given))

    def note(self, net: Net, loss: float, held_out: float | None, eta: float) -> bool:
        """Whether the descent ends after this epoch."""
        self.losses.append(loss)
        measure = loss if held_out is None else held_out
        if held_out is not None:
            self.validation.append(held_out)
        if watching():
            report("descent", learner=self.course.owner, iteration=len(self.losses), total=self.epochs,
                   objective=loss, held_out=held_out, eta=eta)  # fmt: skip
        self.stale = 0 if measure < self.least - self.course.tolerance else self.stale + 1
        if measure < self.least:
            self.least = measure
            if self.holds_out:
                self.kept, self.best = net.copy(), len(self.losses)
        watched = self.holds_out or self.course.schedule.kind == "constant"
        self.ended = watched and self.stale >= self.course.patience
        return self.ended

    def result(self, net: Net) -> Descended:
        kept, best = net, len(self.losses)
        if self.holds_out and self.best == 0:
            self._refuse("for the rows held out, after every epoch", self.validation[-1], ["early_stopping=False"])
        if self.holds_out:  # steps go on from where the kept net stood
            kept, best = replace(self.kept, steps=net.steps, epochs=net.epochs), self.best
        converged = self.ended or self.course.schedule.kind != "constant"
        return Descended(kept, np.array(self.losses), np.array(self.validation), best, converged)


def batch_length(asked: Any, n_rows: int) -> int:
    """ "auto" takes about 24 steps an epoch where there are few rows, of 16 rows at least and 256 at most."""
    if asked == "auto":
        return int(np.clip(2 ** round(math.log2(max(n_rows, 1) / 24)), 16, 256)) if n_rows > 384 else min(16, n_rows)
    return int(min(asked, n_rows))


def descend(given: Descent, net: Net) -> Descended:
    """So many epochs at most, from a net, whose arrays are changed."""
    course = given.course
    taking = np.arange(len(given.rows))
    if given.held_out is not None:
        taking = np.setdiff1d(taking, given.held_out, assume_unique=True)
    batch, per_epoch, epochs = course.lengths(len(taking))
    weight = float(len(taking) if given.weights is None else given.weights[taking].sum())
    progress = Progress(course, net, epochs, holds_out=given.held_out is not None)
    for epoch in range(epochs):
        order = taking
        if course.shuffle:
            order = np.random.default_rng([course.seed, net.epochs]).permutation(taking)
        rates = course.schedule.rates(epoch * per_epoch, per_epoch, per_epoch * epochs)
        loss = course.train(net, given.rows, order, given.targets, given.weights, batch, rates) / weight
        progress.check(net, loss)
        net = replace(net, steps=net.steps + per_epoch, epochs=net.epochs + 1)
        held_out = None if given.held_out is None else _held_out_loss(given, given.held_out, net)
        if progress.note(net, loss, held_out, float(rates[-1])):
            break
    return progress.result(net)


def _held_out_loss(given: Descent, out: Array, net: Net) -> float:
    found = net.row_losses(given.course.inputs, given.rows.take(out), given.targets[out], given.course.given)
    return float(np.average(found, weights=None if given.weights is None else given.weights[out]))


def smaller_steps(eta: float) -> str:
    """A change worth trying: of a length beyond all reason a tenth would be one, too."""
    return f"a smaller learning_rate_init, e.g. {min(eta / 10, 0.01):g}"


def ran_away(owner: str, where: str, loss: float, changes: list[str], inputs: Any, given: GivenLoss | None) -> str:
    """What a loss that is no finite number says: where, and which `changes` are worth trying first."""
    what = "infinite" if math.isinf(loss) else "no number"
    if not inputs.scale.size or np.all(inputs.scale == 1):
        changes = [*changes, 'standardize="robust"']
    if given is not None:
        changes = [*changes, f"a loss other than {given.loss.name!r}, if that gives no finite numbers"]
    return f"{owner}: the loss is {what} {where}. Choose {', or '.join(changes or ['targets nearer to 0'])}."
