"""Descending: epochs of steps, their lengths, rows held out, and when to end."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from learnt import _core
from learnt.data.table import Array
from learnt.errors import InputError
from learnt.neural.inputs import NetInputs
from learnt.neural.losses import row_losses
from learnt.neural.net import Net, NetRows
from learnt.watch import report, watching

#: Epochs, and steps at least, where nobody says how many.
EPOCHS, STEPS = 60, 300
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
class Descent:
    """What is descended on, and how."""

    owner: str
    inputs: NetInputs
    rows: NetRows
    targets: Array
    weights: Array | None
    schedule: Schedule
    steps: dict[str, Any]  # of the core's NetSteps
    epochs: int | None  # None: as many as it takes
    shuffle: bool
    seed: int
    held_out: Array | None  # places
    tolerance: float
    patience: int


@dataclass(frozen=True, eq=False)
class Descended:
    net: Net
    losses: Array
    validation: Array
    best: int  # epochs of the net that is kept
    converged: bool


def batch_length(asked: Any, n_rows: int) -> int:
    """ "auto" takes about 24 steps an epoch where there are few rows, of 16 rows at least and 256 at most."""
    if asked == "auto":
        return int(np.clip(2 ** round(math.log2(max(n_rows, 1) / 24)), 16, 256)) if n_rows > 384 else min(16, n_rows)
    return int(min(asked, n_rows))


def descend(given: Descent, net: Net) -> Descended:
    """So many epochs at most, from a net, whose arrays are changed."""
    taking = np.arange(len(given.rows))
    if given.held_out is not None:
        taking = np.setdiff1d(taking, given.held_out, assume_unique=True)
    batch = batch_length(given.steps["batch_size"], len(taking))
    per_epoch = -(-len(taking) // batch)
    epochs = given.epochs or max(EPOCHS, -(-STEPS // per_epoch))
    total = per_epoch * epochs
    weight = float(len(taking) if given.weights is None else given.weights[taking].sum())
    losses: list[float] = []
    validation: list[float] = []
    kept, best, stale, least, converged = net, 0, 0, math.inf, False
    for epoch in range(epochs):
        order = taking
        if given.shuffle:
            order = np.random.default_rng([given.seed, net.epochs]).permutation(taking)
        steps = _core.NetSteps(
            **(given.steps | {"batch_size": batch, "first_step": net.steps, "seed": given.seed % 2**62})
        )
        rates = given.schedule.rates(epoch * per_epoch, per_epoch, total)
        loss = net.train(given.inputs, given.rows, order, given.targets, given.weights, steps, rates) / weight
        if not math.isfinite(loss) or not np.isfinite(net.parameters).all():
            raise InputError(_ran_away(given, epoch + 1, loss))
        net = replace(net, steps=net.steps + per_epoch, epochs=net.epochs + 1)
        losses.append(loss)
        measure = loss
        if given.held_out is not None:
            measure = _held_out_loss(given, net)
            validation.append(measure)
        if watching():
            report("descent", learner=given.owner, iteration=epoch + 1, total=epochs, objective=loss,
                   held_out=measure if given.held_out is not None else None, eta=float(rates[-1]))  # fmt: skip
        stale = 0 if measure < least - given.tolerance else stale + 1
        if measure < least:
            least = measure
            if given.held_out is not None:
                kept, best = net.copy(), epoch + 1
        watched = given.held_out is not None or given.schedule.kind == "constant"
        if watched and stale >= given.patience:
            converged = True
            break
    if given.held_out is None:
        kept, best = net, len(losses)
    else:  # steps go on from where the kept net stood
        kept = replace(kept, steps=net.steps, epochs=net.epochs)
    converged = converged or given.schedule.kind != "constant"
    return Descended(kept, np.array(losses), np.array(validation), best, converged)


def _held_out_loss(given: Descent, net: Net) -> float:
    out = given.held_out
    assert out is not None
    found = row_losses(net.loss, net.scores(given.inputs, given.rows.take(out)), given.targets[out])
    return float(np.average(found, weights=None if given.weights is None else given.weights[out]))


def _ran_away(given: Descent, epoch: int, loss: float) -> str:
    eta, what = given.schedule.eta0, "infinite" if math.isinf(loss) else "no number"
    said = (
        f"{given.owner}: the loss is {what} in epoch {epoch}: steps of length {eta:g} ran away. "
        f"Choose a smaller learning_rate_init, e.g. {eta / 10:g}"
    )
    if not given.inputs.scale.size or np.all(given.inputs.scale == 1):
        said += ', or standardize="robust"'
    return said + "."
