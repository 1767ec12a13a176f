"""Classes of images by a convolutional net."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np

from learnt.data.schema import Schema
from learnt.data.table import Array
from learnt.errors import InputError, SavedModelError
from learnt.explain import Explanations
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Domain, OneOf, Whole
from learnt.neural.torch_nets.conv_layers import ConvLayers
from learnt.neural.torch_nets.images import Images, read_images, size_words
from learnt.neural.torch_nets.pixels import ImageItems, PixelScale, vary_images
from learnt.neural.torch_nets.runtime import import_torch
from learnt.neural.torch_nets.torch_classifier import TorchClassifier


class Channels(Domain):
    """Numbers of channels, one for each block."""

    words = "a tuple of whole numbers ≥ 1, at least one"

    def __contains__(self, value: Any) -> bool:
        return (
            isinstance(value, list | tuple | np.ndarray) and len(value) > 0 and all(v in Whole(1, 2**16) for v in value)
        )


class ImageSize(Domain):
    words = "a pair of whole numbers ≥ 1, the height and the width"

    def __contains__(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and len(value) == 2 and all(v in Whole(1, 2**14) for v in value)


class ConvNetClassifier(TorchClassifier, listed=False):
    """Classify images by filters that are learnt, block by block, and by how strongly the last ones answer on average.

        block:   a ← pool(max(0, norm(conv(a)))),      p = softmax(b + W mean(a))

        model = ConvNetClassifier().fit(images, labels)       # an array, images × height × width (× colours)
        model = ConvNetClassifier().fit("flowers")            # a folder: flowers/rose/1.png, flowers/tulip/7.png
        model.predict(new_images)

    Images are an array, a list or a column of arrays, names of files, or a folder with a folder for each class. Pixels
    are scaled by colour; a missing pixel (NaN) counts as the mean, a missing image (None) as one of means. PyTorch
    computes: `pip install 'learnt[torch]'`.

    {settings}

    Attributes: `image_shape_` (height, width, colours), `weights_`, `n_parameters_`; `loss_curve_`,
    `validation_curve_`, epoch by epoch; `n_iter_`, `best_iter_`, `converged_`, `device_`.

    Reference: Y. LeCun et al., Gradient-based learning applied to document recognition, 1998.
    """

    channels: Any = setting(Channels(), "channels of each block", default=(32, 64, 128), before="dropout")
    size: Any = setting(
        OneOf(None) | ImageSize(), "(height, width) that all images are brought to; None: they are of one size",
        default=None, before="dropout",
    )  # fmt: skip
    augment: str = setting(
        OneOf("none", "shift", "shift+mirror"),
        'what is done to images at random while learning: "shift" by up to an eighth, or "shift+mirror"',
        default="none",
        before="dropout",
    )

    _pixel_scale: PixelScale = attribute()
    _column: str | None = attribute()

    _base_words: ClassVar[str] = "image of mean colours"

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from images and their classes.

        `y` is an array, or the name of a column of a frame; of a folder, the folders in it name the classes.
        `sample_weight` gives each image a weight: 2 means that it stands there twice, 0 that it does not.
        """
        return self._fit_items(X, y, sample_weight)

    def predict(self, X: Any) -> Array:
        """The most probable class of each image."""
        return self._labels_of(X)

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, columns in the order of `classes_`."""
        return self._framed_answer(X)

    def predict_log_proba(self, X: Any) -> Any:
        """Natural logarithms of `predict_proba`."""
        return self._framed_answer(X, logarithms=True)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy: the share of images, by weight, whose class is predicted right."""
        return self._accuracy(X, y, sample_weight)

    def explain(self, X: Any) -> Explanations:
        """What each pixel adds to the log-odds of the answer against the runner-up, from an image of mean colours on:
        integrated gradients, colours of a pixel added. Evidence is in the order of rows and columns of the image."""
        return self._explained(X)

    @property
    def image_shape_(self) -> tuple[int, int, int]:
        """Height, width and colours of the images fitted."""
        self._fitted_schema()
        return self._pixel_scale.height, self._pixel_scale.width, self._pixel_scale.colours

    # What a net of images knows

    def _layers(self) -> ConvLayers:
        return ConvLayers(self._pixel_scale.colours, tuple(int(n) for n in self.channels), len(self.classes_))

    def _read(self, X: Any, y: Any, sample_weight: Any, *, anew: bool, **how: Any) -> tuple[Any, Any, Any]:
        roles = [role for role in (y, sample_weight) if isinstance(role, str)]
        size = None if self.size is None else (int(self.size[0]), int(self.size[1]))
        torch = None if size is None else import_torch(type(self).__name__)
        known, colours = (None, None) if anew else (self._column, self._pixel_scale.colours)
        given = read_images(X, roles, known, size, colours, torch)
        if anew:
            self._column = given.column
        if y is None and given.folders is not None:
            y = np.array(given.folders)
        labels = given.columns[y] if isinstance(y, str) else y
        weights = given.columns[sample_weight] if isinstance(sample_weight, str) else sample_weight
        return given.images, labels, weights

    def _learn_scales(self, read: Images, weights: Array | None) -> None:
        self._remember_columns(Schema(()))
        self._pixel_scale = PixelScale.of(read, weights)

    def _encode(self, read: Images) -> ImageItems:
        height, width, colours = self.image_shape_
        if read.shape[2] != colours:
            raise InputError(
                f"The images have {read.shape[2]} colours, those that were fitted {colours}. Give the same."
            )
        if read.shape[:2] != (height, width):
            raise InputError(
                f"The images are {size_words(read.shape)} pixels, those that were fitted {height} × {width}. Give that "
                "size, or fit with size=(height, width), which all are brought to."
            )
        return ImageItems(read, self._pixel_scale)

    def _vary(self) -> Any:
        return None if self.augment == "none" else vary_images(self.augment)

    def _base_inputs(self, inputs: Any) -> Any:
        return inputs * 0.0

    def _parts_of(self, items: ImageItems, i: int, by_input: Array) -> tuple[tuple[str, Any, float, str], ...]:
        parts, pixels = by_input.sum(axis=0), items.images.pixels[i]
        gone = np.isnan(pixels).any(axis=0)
        return tuple(
            (f"pixel ({r}, {c})", _cell(pixels[:, r, c]), float(parts[r, c]), "missing" if gone[r, c] else "")
            for r, c in np.ndindex(parts.shape)
        )

    def _check_fitted_state(self) -> None:
        super()._check_fitted_state()
        if len(self._schema):
            raise SavedModelError("A net of images has no columns.")


def _cell(colours: Array) -> Any:
    """A pixel: a number, or one for each colour in a text."""
    found = [None if np.isnan(v) else v for v in colours.tolist()]
    return found[0] if len(found) == 1 else " ".join("?" if v is None else f"{v:g}" for v in found)
