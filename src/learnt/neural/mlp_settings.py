"""The settings of multilayer perceptrons, and what follows from them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, Flag, OneOf, Real, Seed, Whole
from learnt.learner.partial import Continuing
from learnt.neural.descent import Course, course_of
from learnt.neural.given_loss import GivenLoss
from learnt.neural.inputs import NetInputs
from learnt.neural.net import ACTIVATIONS


class Sizes(Domain):
    """Numbers of units, one for each hidden layer."""

    words = "a whole number ≥ 1, or a tuple of them; () for no hidden layer"

    def __contains__(self, value: Any) -> bool:
        if isinstance(value, list | tuple | np.ndarray):
            return all(v in Whole(1, 2**24) for v in value)
        return value in Whole(1, 2**24)


class NetSettings(Continuing, abstract=True):
    """What users may say of a net."""

    fit_cost = 200.0
    simplicity = 90.0
    search_space: ClassVar[dict[str, Any]] = {
        "hidden_layer_sizes": ((64,), (128,), (128, 64)),
        "learning_rate_init": (0.0005, 0.002, 0.01),
        "alpha": (0.0, 0.02, 0.2),
    }

    hidden_layer_sizes: Any = setting(
        Sizes(), "units of each hidden layer; () for none: one linear layer", default=(128,)
    )
    activation: str = setting(
        OneOf(*ACTIVATIONS), 'of hidden units: "gelu", "relu", "tanh", "sigmoid", "identity"', default="gelu"
    )
    solver: str = setting(
        OneOf("adamw", "adam", "sgd", "lbfgs"),
        '"adamw", "adam", "sgd" (see `momentum`), or "lbfgs": all rows at each step, for small tables',
        default="adamw",
    )
    alpha: Any = setting(
        OneOf("auto") | Real(0),
        'weight decay: α/2 |w|² is added to the mean loss; of "adamw", weights shrink by α η at each step instead; '
        '"auto": 0.1 of "adamw", 0.0005 of the others',
        default="auto",
    )
    batch_size: Any = setting(
        OneOf("auto") | Whole(1), 'rows per step; "auto": 16 to 256, by the number of rows', default="auto"
    )
    learning_rate: str = setting(
        OneOf("cosine", "constant", "invscaling"),
        'length η of step t: "cosine" from η₀ to 0 over all epochs, "constant" η₀, "invscaling" η₀/√t',
        default="cosine",
    )
    learning_rate_init: float = setting(Real(above=0), "η₀", default=0.002)
    max_iter: Any = setting(
        OneOf(None) | Whole(1),
        "epochs: passes over all rows, at most; None: 60, or so many that there are 300 steps; 200 steps of L-BFGS",
        default=None,
    )
    dropout: float = setting(Real(0, below=1), "the share of hidden units left out at each step", default=0.2)
    batch_normalization: bool = setting(
        Flag(),
        "whether sums of hidden units are centred and scaled by their batch, and for predictions by running moments",
        default=False,
    )
    early_stopping: Any = setting(
        OneOf("auto") | Flag(),
        'hold rows out, end when their loss stops falling and keep the best net; "auto": from 1000 rows on',
        default="auto",
    )
    validation_fraction: float = setting(Real(above=0, below=1), "the share of rows held out", default=0.1)
    n_iter_no_change: int = setting(
        Whole(1),
        "so many epochs without gain end it, where rows are held out or steps are of constant length",
        default=20,
    )
    tol: float = setting(Real(0), "what counts as a gain; the gradient at which L-BFGS ends", default=1e-5)
    momentum: float = setting(Real(0, below=1), 'of "sgd": the share of a step that goes on in the next', default=0.9)
    nesterov: bool = setting(Flag(), "of momentum: whether gradients look ahead", default=True)
    standardize: Any = setting(
        OneOf("robust") | Flag(),
        '"robust": medians and quartiles, what lies far out is pulled in; True: mean and spread; False: as they are',
        default="robust",
    )
    most_indicators: int = setting(
        Whole(2),
        "nominal columns of more categories are embedded: a vector of up to 8 numbers each, learnt",
        default=16,
    )
    shuffle: bool = setting(Flag(), "whether each epoch draws an order of the rows", default=True)
    precision: str = setting(OneOf("single", "double"), "of the numbers inside", default="single")
    device: str = setting(OneOf("cpu", "cuda"), '"cuda": steps are taken on a graphics card, by PyTorch', default="cpu")
    warm_start: bool = setting(Flag(), "whether `fit` goes on from the net of the last one", default=False)
    random_state: Any = setting(Seed(), "seed of first weights, order, dropout and what is held out", default=0)

    _inputs: NetInputs = attribute()
    _seed: int = attribute()

    def _given_loss(self) -> GivenLoss | None:
        """The loss, where it is not one of the core's."""
        return None

    def _hidden(self) -> tuple[int, ...]:
        sizes = self.hidden_layer_sizes
        return tuple(int(size) for size in (sizes if isinstance(sizes, list | tuple | np.ndarray) else (sizes,)))

    def _scaling(self) -> Any:
        return self.standardize if isinstance(self.standardize, str) else bool(self.standardize)

    def _course(self, anew: bool) -> Course:
        return course_of(
            self, self._inputs, anew=anew, dropout=float(self.dropout), given=self._given_loss(), device=self.device
        )
