"""How an autoencoder learns."""

from __future__ import annotations

import warnings
from collections.abc import Generator
from typing import Any, Self

import numpy as np

from learnt.data.table import Array
from learnt.engine.training import Training
from learnt.engine.whole import InMemory, TakeWhole, WholeTable
from learnt.errors import InputError, ParameterError, convergence_warning
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole, seed_from
from learnt.learner.partial import Continuing
from learnt.neural.autoencoder.cells import TableCells
from learnt.neural.autoencoder.errors import average_scores, column_means
from learnt.neural.autoencoder.net import AutoencoderNet
from learnt.neural.descent import Descent, course_of, descend
from learnt.neural.mlp_settings import Sizes
from learnt.neural.net import ACTIVATIONS, NetRows
from learnt.neural.row_order import held_out_places, in_drawn_order, relative_weights, with_weight
from learnt.neural.whole_batch import minimise
from learnt.show.words import count_of
from learnt.storable import Numbers

IN_MEMORY = InMemory("goes over the rows many times, in a drawn order")
NOISES = ("swap", "mask", "gaussian")


class LearnsReconstruction(Continuing, abstract=True):
    """Settings of an autoencoder, and its fit."""

    n_components: int = setting(Whole(1, 2**24), "numbers of the code", default=2, kw_only=False)
    encoder_sizes: Any = setting(
        Sizes(), "units of each hidden layer before the code; () for none: a linear code", default=(64,)
    )
    decoder_sizes: Any = setting(
        OneOf(None) | Sizes(), "units of each hidden layer after the code; None: those of the encoder, mirrored",
        default=None,
    )  # fmt: skip
    tied_weights: bool = setting(
        Flag(), "whether the weights of the decoder are those of the encoder, transposed", default=False
    )
    activation: str = setting(
        OneOf(*ACTIVATIONS), 'of hidden units: "gelu", "relu", "tanh", "sigmoid", "identity"; the code is linear',
        default="gelu",
    )  # fmt: skip
    noise: str = setting(
        OneOf(*NOISES),
        'denoising: inputs are spoilt, and given back whole: cells of another row ("swap"), missing ("mask"), or a '
        'Gaussian number added ("gaussian")',
        default="swap",
    )
    noise_level: float = setting(
        Real(0, 1), "the share of cells, or the standard deviation in scaled units; 0: none", default=0.0
    )
    solver: str = setting(
        OneOf("adamw", "adam", "sgd", "lbfgs"),
        '"adamw", "adam", "sgd" (see `momentum`), or "lbfgs": all rows at each step, for small tables',
        default="adamw",
    )
    alpha: float = setting(Real(0), "weight decay, as of `MLPRegressor`", default=0.0)
    batch_size: Any = setting(
        OneOf("auto") | Whole(1), 'rows per step; "auto": 16 to 256, by the number of rows', default="auto"
    )
    learning_rate: str = setting(
        OneOf("cosine", "constant", "invscaling"), "how the length η of steps falls from η₀", default="cosine"
    )
    learning_rate_init: float = setting(Real(above=0), "η₀", default=0.005)
    max_iter: Any = setting(
        OneOf(None) | Whole(1),
        "epochs at most; None: 60, or so many that there are 300 steps; 200 steps of L-BFGS",
        default=None,
    )
    early_stopping: Any = setting(
        OneOf("auto") | Flag(),
        'hold rows out, end when their error stops falling and keep the best net; "auto": from 1000 rows on',
        default="auto",
    )
    validation_fraction: float = setting(Real(above=0, below=1), "the share of rows held out", default=0.1)
    n_iter_no_change: int = setting(Whole(1), "so many epochs without gain end it", default=20)
    tol: float = setting(Real(0), "what counts as a gain; the gradient at which L-BFGS ends", default=1e-5)
    momentum: float = setting(Real(0, below=1), 'of "sgd": the share of a step that goes on in the next', default=0.9)
    nesterov: bool = setting(Flag(), "of momentum: whether gradients look ahead", default=True)
    standardize: Any = setting(
        OneOf("robust") | Flag(),
        '"robust": medians and quartiles, what lies far out is pulled in; True: mean and spread; False: as they are',
        default="robust",
    )
    most_categories: int = setting(
        Whole(2, 2**20), "outputs of a nominal column at most: of more categories, the rarest share one", default=64
    )
    shuffle: bool = setting(Flag(), "whether each epoch draws an order of the rows", default=True)
    precision: str = setting(OneOf("single", "double"), "of the numbers inside", default="single")
    warm_start: bool = setting(Flag(), "whether `fit` goes on from the net of the last one", default=False)
    random_state: Any = setting(Seed(), "seed of first weights, order, noise and what is held out", default=0)

    n_iter_: int = attribute()
    converged_: bool = attribute()
    loss_curve_: Numbers = attribute()
    validation_curve_: Numbers = attribute()
    best_iter_: int = attribute()
    column_errors_: Numbers = attribute()
    average_errors_: Numbers = attribute()
    reconstruction_error_: float = attribute()
    _net: AutoencoderNet = attribute()
    _cells: TableCells = attribute()
    _seed: int = attribute()

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """One epoch over more rows, with steps of constant length, from where the last call ended. The first call fixes
        the columns, their categories and scales."""
        return self._fit_more(X, y, sample_weight)

    def _blank(self) -> Self:
        twin = super()._blank()
        if self.warm_start and "_net" in self.__dict__:
            twin.__dict__["_before"] = self
        return twin

    def _plan(self, training: Training) -> Generator[Any, Any, None]:
        earlier = self.__dict__.pop("_before", None)
        self._check_layers()
        rows = yield from IN_MEMORY.take(training, type(self).__name__)
        self._learn_rows(rows, earlier, True)

    def _continue(self, training: Training, earlier: Any) -> Generator[Any, Any, None]:
        self.__dict__.pop("_before", None)
        self._check_layers()
        rows: WholeTable = yield TakeWhole()
        self._learn_rows(rows, earlier, False)

    # The net

    def _layers(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Units of the encoder, whose last are the code, and of the decoder, without those that give back cells."""
        encoder = _sizes(self.encoder_sizes)
        decoder = encoder[::-1] if self.decoder_sizes is None else _sizes(self.decoder_sizes)
        return (*encoder, int(self.n_components)), decoder

    def _check_layers(self) -> None:
        encoder, decoder = self._layers()
        name = type(self).__name__
        if self.tied_weights and decoder != encoder[-2::-1]:
            raise ParameterError(
                f"{name}: tied_weights=True shares the weights of both halves, but decoder_sizes={decoder} is not "
                f"encoder_sizes mirrored, {encoder[-2::-1]}. Leave decoder_sizes=None, or set tied_weights=False."
            )
        if self.solver == "lbfgs" and self.noise_level > 0:
            raise ParameterError(
                f"{name}: noise_level={self.noise_level:g} draws other noise at each step, but solver='lbfgs' needs "
                "the same loss at all of them. Use solver='adamw', or noise_level=0."
            )

    def _begin(self, rows: WholeTable, w: Array | None, earlier: Any) -> None:
        """The cells and the net, new or those of an earlier learner."""
        encoder, decoder = self._layers()
        if earlier is not None:
            self._take_over(earlier, (*encoder, *decoder))
            return
        there = WholeTable(rows.rows, rows.table, rows.target, w, rows.numbers).of_positive_weight()
        self._seed = seed_from(self.random_state)
        scaling = self.standardize if isinstance(self.standardize, str) else bool(self.standardize)
        self._cells = TableCells.of(there.table, there.weights, scaling=scaling, most=int(self.most_categories))
        x = self._cells.encode(there.table)
        average = average_scores(self._cells, x, there.weights)
        self.average_errors_ = column_means(self._cells, x, np.tile(average, (len(x), 1)), there.weights)
        self._net = AutoencoderNet.start_for(
            self._cells, encoder, decoder, self.activation, tied=bool(self.tied_weights), bias=average,
            seed=self._seed, dtype=np.float64 if self.precision == "double" else np.float32,
        )  # fmt: skip

    def _take_over(self, earlier: Any, units: tuple[int, ...]) -> None:
        name, net = type(self).__name__, earlier._net
        if earlier._schema != self._schema:
            raise InputError(
                f"{name}: warm_start goes on with the net of the last fit, but the columns or their categories are "
                "others now. Give the same, or set warm_start=False."
            )
        if (net.units[:-1], net.activation, net.tied) != (units, self.activation, bool(self.tied_weights)):
            raise ParameterError(
                f"{name}: the layers, activation or tied_weights were changed since the net was made. Set them back, "
                "or fit anew with warm_start=False."
            )
        for kept in ("_seed", "_cells", "average_errors_"):
            setattr(self, kept, getattr(earlier, kept))
        self._net = net.with_memory()

    # Descending

    def _learn_rows(self, rows: WholeTable, earlier: Any, anew: bool) -> None:
        """As many epochs as it takes, or one of `partial_fit`."""
        w = relative_weights(rows.weights)
        self._begin(rows, w, earlier)
        x = self._cells.encode(rows.table)
        every = NetRows(x, np.zeros((len(x), 0), np.int32))
        found, y, left = every, np.zeros(len(x)), w
        inputs: Any = self._cells
        if anew:
            found, y, left = in_drawn_order(inputs, every, y, w)
        else:
            found, y, left = with_weight(every, y, w)
        if left is not None:
            left = left * (len(left) / left.sum())
        self._descend(found, y, left, anew)
        self._net = self._net.with_noise("swap", 0.0)
        if anew:
            self._net = self._net.without_memory()
        f = self._net.scores(self._cells, every)
        self.column_errors_ = column_means(self._cells, x, f, w)
        errors = self._net.row_losses(self._cells, every, y)
        self.reconstruction_error_ = float(np.average(errors, weights=w))

    def _descend(self, rows: NetRows, y: Array, w: Array | None, anew: bool) -> None:
        net = self._net.with_noise(self.noise, float(self.noise_level))
        if self._cells.n_outputs == 0:
            self._keep(net, np.zeros(0), np.zeros(0), 0, True)
        elif self.solver == "lbfgs" and anew:
            tol, steps = float(self.tol), self.max_iter or 200
            inputs: Any = self._cells
            alpha, name = float(self.alpha), type(self).__name__
            done, losses, rests = minimise(net, inputs, rows, y, w, alpha=alpha, steps=steps, tol=tol, owner=name)
            self._keep(done, losses, np.zeros(0), len(losses), rests)
        else:
            ended = descend(self._descent(rows, y, w, anew), net)
            self._keep(ended.net, ended.losses, ended.validation, ended.best, ended.converged or not anew)
        if not self.converged_:
            went = count_of(self.n_iter_, "step" if self.solver == "lbfgs" and anew else "epoch")
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {went}, before the error came to rest. Raise max_iter or tol."
                ),
                stacklevel=2,
            )

    def _keep(self, net: Any, losses: Array, validation: Array, best: int, converged: bool) -> None:
        self._net, self.n_iter_, self.converged_ = net, len(losses), converged
        self.loss_curve_, self.validation_curve_, self.best_iter_ = losses, validation, best

    def _descent(self, rows: NetRows, y: Array, w: Array | None, anew: bool) -> Descent:
        course, out = course_of(self, self._cells, anew=anew), None
        if anew:
            share, name = float(self.validation_fraction), type(self).__name__
            out = held_out_places(self.early_stopping, share, len(rows), seed=self._seed, owner=name)
        return Descent(course, rows, y, w, out)


def _sizes(given: Any) -> tuple[int, ...]:
    return tuple(int(size) for size in (given if isinstance(given, list | tuple | np.ndarray) else (given,)))
