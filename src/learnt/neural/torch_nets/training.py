"""Training: epochs of steps of AdamW over batches, rows held out, and when to end."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from learnt.data.table import Array
from learnt.errors import InputError
from learnt.neural.descent import STEPS, Schedule, batch_length, smaller_steps
from learnt.neural.torch_nets.adamw import AdamW
from learnt.neural.torch_nets.stored_net import TorchNet
from learnt.watch import report, watching

#: Batches that are drawn together and sorted by length, so that little is padded.
TOGETHER = 16
#: Images or sequences that are asked at once.
ASKED = 256
#: Weights beyond this are those of a net that ran away: scores, sums of their products, leave single precision.
LARGEST_WEIGHT = 1e12


class Items(Protocol):
    """Images or sequences, encoded."""

    @property
    def places(self) -> float:
        """Pixels of an image, steps of a sequence."""
        ...

    @property
    def lengths(self) -> Array | None:
        """Steps of sequences."""
        ...

    def __len__(self) -> int: ...

    def batch(self, torch: Any, places: Array, device: Any, dtype: Any) -> tuple[Any, ...]:
        """Those at `places`, as tensors."""
        ...


@dataclass(frozen=True, eq=False)
class Course:
    """What is trained on, and how."""

    owner: str
    items: Items
    codes: Array  # of classes
    weights: Array | None
    schedule: Schedule
    batch_size: Any
    epochs: int | None  # None: `usual_epochs`, or so many that there are enough steps
    usual_epochs: int
    alpha: float
    dropout: float
    smoothing: float
    seed: int
    held_out: Array | None  # places
    tolerance: float
    patience: int
    vary: Callable[[Any, Any], Any] | None = None  # what changes inputs at random


@dataclass(frozen=True, eq=False)
class Trained:
    net: TorchNet
    losses: Array
    validation: Array
    best: int  # epochs of the net that is kept
    converged: bool


def train(course: Course, net: TorchNet, torch: Any, device: Any) -> Trained:
    """So many epochs at most, from a net."""
    rows = np.arange(len(course.items))
    if course.held_out is not None:
        rows = np.setdiff1d(rows, course.held_out, assume_unique=True)
    weights = None if course.weights is None else course.weights * (len(rows) / course.weights[rows].sum())
    n_batches = -(-len(rows) // batch_length(course.batch_size, len(rows)))
    epochs = course.epochs or max(course.usual_epochs, -(-STEPS // n_batches))
    modules = net.modules(torch, device, dropout=course.dropout)
    optimizer = AdamW(torch, modules, course.alpha, net.layers.longest_gradient)
    losses: list[float] = []
    validation: list[float] = []
    kept, best, stale, least, converged = net, 0, 0, math.inf, False
    for epoch in range(epochs):
        rates = course.schedule.rates(epoch * n_batches, n_batches, n_batches * epochs)
        modules.train()
        total = 0.0
        order = np.random.default_rng([course.seed % 2**63, epoch])
        for places, rate in zip(batches(rows, n_batches, course.items.lengths, order), rates.tolist(), strict=True):
            loss = _batch_loss(course, net, modules, places, weights, torch, device)
            loss.backward()
            optimizer.step(rate)
            total += float(loss.detach()) * len(places)
        modules.eval()
        losses.append(total / len(rows))
        if not (math.isfinite(losses[-1]) and all(bool(p.isfinite().all()) for p in modules.state_dict().values())):
            raise InputError(_ran_away(course, f"the loss is {_odd(losses[-1])} in epoch {epoch + 1}"))
        measure = losses[-1]
        if course.held_out is not None:
            measure = _held_out_loss(course, net, modules, torch, device)
            validation.append(measure)
        if watching():
            report("descent", learner=course.owner, iteration=epoch + 1, total=epochs, objective=losses[-1],
                   held_out=measure if course.held_out is not None else None, eta=float(rates[-1]))  # fmt: skip
        stale = 0 if measure < least - course.tolerance else stale + 1
        if measure < least:
            least = measure
            if course.held_out is not None:
                kept, best = net.with_state_of(modules), epoch + 1
        if stale >= course.patience and (course.held_out is not None or course.schedule.kind == "constant"):
            converged = True
            break
    if course.held_out is not None and best == 0:
        what = f"the loss is {_odd(validation[-1])} for those held out, after every epoch"
        raise InputError(_ran_away(course, what))
    if course.held_out is None:
        kept, best = net.with_state_of(modules), len(losses)
    if not all((np.abs(tensor) < LARGEST_WEIGHT).all() for tensor in kept.tensors.values()):
        raise InputError(_ran_away(course, f"weights are beyond {LARGEST_WEIGHT:g}"))
    converged = converged or course.schedule.kind != "constant"
    return Trained(kept, np.array(losses), np.array(validation), best, converged)


def batches(rows: Array, n_batches: int, lengths: Array | None, rng: np.random.Generator) -> list[Array]:
    """Rows in a drawn order, in batches of nearly equal size; sequences beside others of about their length."""
    found = np.array_split(rng.permutation(rows), n_batches)
    if lengths is None:
        return found
    drawn: list[Array] = []
    for first in range(0, n_batches, TOGETHER):
        some = found[first : first + TOGETHER]
        together = np.concatenate(some)
        by_length = together[np.argsort(lengths[together], kind="stable")]
        drawn += np.array_split(by_length, len(some))
    return [drawn[b] for b in rng.permutation(len(drawn))]


def scores_of(net: TorchNet, items: Items, torch: Any, device: Any, modules: Any = None) -> Array:
    """Images or sequences × classes, in double precision."""
    modules = net.modules(torch, device) if modules is None else modules
    found = np.empty((len(items), net.layers.classes))
    order = np.arange(len(items)) if items.lengths is None else np.argsort(items.lengths, kind="stable")
    with torch.inference_mode():
        for first in range(0, len(order), ASKED):
            places = order[first : first + ASKED]
            batch = items.batch(torch, places, device, _dtype(torch, net))
            inputs = net.layers.inputs(torch, modules, batch)
            found[places] = net.layers.scores(torch, modules, inputs, batch).double().cpu().numpy()
    return found


def _dtype(torch: Any, net: TorchNet) -> Any:
    return torch.float64 if net.dtype == np.float64 else torch.float32


def _batch_loss(
    course: Course, net: TorchNet, modules: Any, places: Array, weights: Array | None, torch: Any, device: Any
) -> Any:
    """Σ w L over a batch, by its number of rows."""
    batch = course.items.batch(torch, places, device, _dtype(torch, net))
    inputs = net.layers.inputs(torch, modules, batch)
    if course.vary is not None:
        inputs = course.vary(torch, inputs) if modules.training else inputs
    f = net.layers.scores(torch, modules, inputs, batch)
    truth = torch.from_numpy(course.codes[places].astype(np.int64)).to(device)
    loss = torch.nn.functional.cross_entropy(f, truth, reduction="none", label_smoothing=course.smoothing)
    if weights is not None:
        loss = loss * torch.from_numpy(weights[places]).to(device, f.dtype)
    return loss.mean()


def _held_out_loss(course: Course, net: TorchNet, modules: Any, torch: Any, device: Any) -> float:
    out, weights = course.held_out, course.weights
    assert out is not None
    total = 0.0
    with torch.inference_mode():
        for first in range(0, len(out), ASKED):
            places = out[first : first + ASKED]
            total += float(_batch_loss(course, net, modules, places, weights, torch, device)) * len(places)
    return total / (len(out) if weights is None else float(weights[out].sum()))


def _odd(loss: float) -> str:
    return "infinite" if math.isinf(loss) else "no number"


def _ran_away(course: Course, what: str) -> str:
    eta = course.schedule.eta0
    decay = ", or a smaller alpha" if eta * course.alpha > 1 else ""
    return f"{course.owner}: {what}: steps of length {eta:g} ran away. Choose {smaller_steps(eta)}{decay}."
