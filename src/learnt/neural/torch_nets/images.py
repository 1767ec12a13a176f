"""Images as they come: an array, a list or column of arrays, or files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.convert import is_a
from learnt.data.files.scan import Scan
from learnt.data.table import Array, Table, unknown_column
from learnt.errors import InputError, KindError
from learnt.neural.torch_nets.image_files import files_given, read_image
from learnt.show.words import count_of, spell

EXPECTED = (
    "Expected an array of images × height × width, or × colours behind that; a list or a column of arrays or of names "
    "of files; or the name of a folder."
)
NO_IMAGE = "There is no image: Found array with 0 sample(s) while a minimum of 1 is required."
#: More colours than this are taken for an axis in the wrong place.
MOST_COLOURS = 64


@dataclass(frozen=True, eq=False)
class Images:
    """`pixels`: images × colours × height × width, as given. NaN is a missing pixel."""

    pixels: Array

    def __len__(self) -> int:
        return len(self.pixels)

    @property
    def shape(self) -> tuple[int, int, int]:
        """Height, width and colours."""
        return self.pixels.shape[2], self.pixels.shape[3], self.pixels.shape[1]


@dataclass(frozen=True, eq=False)
class Given:
    """What was given: images, what the folders they lie in are called; of a frame, its columns and that of images."""

    images: Images
    folders: list[str] | None
    columns: Mapping[str, Any]
    column: str | None


def read_images(
    X: Any, roles: Sequence[str], known: str | None, size: tuple[int, int] | None, colours: int | None, torch: Any
) -> Given:
    """The images of `X`. Of a frame: `roles` are columns that are not the images, `known` is the one that was fitted.
    `size` is what all are brought to, `colours` what files are read as, by default one if all of them are grey."""
    if isinstance(X, Scan):
        raise InputError(f"A scan came, but nets of images go over them many times, in memory. {EXPECTED}")
    columns, column, cells = _columns_of(X), None, X
    if columns is not None:
        column = _image_column(columns, roles, known)
        cells = columns[column]
    found = files_given(cells)
    if found is not None:
        paths, folders = found
        arrays = [_resized(read_image(path, colours), size, torch) for path in paths]
        if colours is None and len({a.shape[2] for a in arrays}) > 1:
            arrays = [np.repeat(a, 3, axis=2) if a.shape[2] == 1 else a for a in arrays]
        return Given(_stacked(arrays), folders, columns or {}, column)
    return Given(_of_cells(cells, size, torch), None, columns or {}, column)


def _columns_of(X: Any) -> Mapping[str, Any] | None:
    """The columns of a frame by name, or None."""
    if isinstance(X, Table):
        raise KindError(f"A Table came, whose cells are numbers and labels, no images. {EXPECTED}")
    if isinstance(X, Mapping):
        return {str(name): cells for name, cells in X.items()}
    if is_a(X, "pandas", "DataFrame") or is_a(X, "polars", "DataFrame"):
        return {str(name): X[name] for name in X.columns}
    if is_a(X, "pyarrow", "Table"):
        return {name: X.column(name).to_pylist() for name in X.column_names}
    return None


def _image_column(columns: Mapping[str, Any], roles: Sequence[str], known: str | None) -> str:
    for role in roles:
        if role not in columns:
            raise InputError(f"{spell(role)} names a column. {unknown_column(role, tuple(map(str, columns)))}")
    left = [str(name) for name in columns if name not in roles]
    if known in left:
        return str(known)
    if len(left) != 1:
        raise InputError(
            f"The frame has {count_of(len(left), 'column')} beside target and weights: {spell(left[:6])}. Expected "
            "one, of images. Give that column alone."
        )
    return left[0]


def _of_cells(cells: Any, size: tuple[int, int] | None, torch: Any) -> Images:
    if is_a(cells, "polars", "Series"):
        cells = cells.to_list()
    elif hasattr(cells, "to_numpy") and not isinstance(cells, np.ndarray):
        cells = cells.to_numpy()
    if isinstance(cells, np.ndarray) and cells.dtype != object:
        return _of_array(cells, size, torch)
    if not isinstance(cells, Sequence | np.ndarray) or isinstance(cells, str | bytes):
        raise KindError(f"A {type(cells).__name__} came. {EXPECTED}")
    if len(cells) == 0:
        raise InputError(f"{NO_IMAGE} {EXPECTED}")
    arrays = [None if cell is None else _resized(_image_array(cell, i), size, torch) for i, cell in enumerate(cells)]
    there = [a for a in arrays if a is not None]
    if not there:
        raise InputError("All images are missing. Give at least one.")
    gap = np.full(there[0].shape, np.nan)
    return _stacked([gap if a is None else a for a in arrays])


def _of_array(array: Array, size: tuple[int, int] | None, torch: Any) -> Images:
    if array.ndim not in (3, 4) or 0 in array.shape[1:]:
        hint = "For rows of pixels, reshape: X.reshape(-1, height, width)." if array.ndim == 2 else EXPECTED
        raise InputError(f"An array of the shape {array.shape} came, which are not images × height × width. {hint}")
    if len(array) == 0:
        raise InputError(f"{NO_IMAGE} {EXPECTED}")
    array = _numbers(array, "The array")
    whole = array[..., None] if array.ndim == 3 else array
    _check_colours(whole.shape[1:], "The array")
    if size is not None and whole.shape[1:3] != tuple(size):
        return _stacked([_resized(image, size, torch) for image in whole])
    return Images(np.ascontiguousarray(whole.transpose(0, 3, 1, 2)))


def _image_array(cell: Any, i: int) -> Array:
    """Height × width × colours of one image."""
    try:
        array = np.asarray(cell)
    except ValueError:
        raise InputError(f"Image {i} has rows of different lengths. Expected height × width, or × colours.") from None
    if array.ndim not in (2, 3) or 0 in array.shape:
        raise InputError(f"Image {i} has the shape {array.shape}. Expected height × width, or × colours behind that.")
    array = _numbers(array, f"Image {i}")
    array = array[..., None] if array.ndim == 2 else array
    _check_colours(array.shape, f"Image {i}")
    return array


def _numbers(array: Array, what: str) -> Array:
    if array.dtype == object:
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise KindError(f"{what} holds something that is not a number. Expected pixels as numbers.") from None
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind not in "iuf":
        raise KindError(f"{what} holds {array.dtype} cells. Expected pixels as numbers.")
    if array.dtype.kind == "f":
        bad = np.argwhere(np.isinf(array))
        if len(bad):
            raise InputError(
                f"{what} is infinite at {tuple(bad[0].tolist())}. Expected finite pixels, or NaN for none."
            )
        array = array if array.dtype in (np.float32, np.float64) else array.astype(np.float32)
    return array


def _check_colours(shape: tuple[int, ...], what: str) -> None:
    height, _, colours = shape
    if colours > MOST_COLOURS or (height in (1, 3, 4) and colours > 16):
        raise InputError(
            f"{what} has {colours} colours for each pixel. Expected their axis last: height × width × colours. "
            "If it comes first, move it: np.moveaxis(X, -3, -1)."
        )


def _stacked(arrays: Sequence[Array]) -> Images:
    first = arrays[0].shape
    for i, array in enumerate(arrays):
        if array.shape[2] != first[2]:
            raise InputError(
                f"Image {i} has {count_of(array.shape[2], 'colour')}, image 0 has {first[2]}. Give all the same."
            )
        if array.shape != first:
            raise InputError(
                f"Image {i} is {size_words(array.shape)} pixels, image 0 is {size_words(first)}. Give images of one "
                "size, or set size=(height, width), which all are brought to."
            )
    return Images(np.stack([array.transpose(2, 0, 1) for array in arrays]))


def size_words(shape: Sequence[int]) -> str:
    return f"{shape[0]} × {shape[1]}"


def _resized(image: Array, size: tuple[int, int] | None, torch: Any) -> Array:
    """An image in another size: means over areas where it shrinks, straight lines between pixels where it grows."""
    if size is None or image.shape[:2] == tuple(size):
        return image
    exact = np.float64 if image.dtype == np.float64 else np.float32
    given = torch.from_numpy(np.ascontiguousarray(image.transpose(2, 0, 1)[None], dtype=exact))
    made = torch.nn.functional.interpolate(given, size=tuple(size), mode="bilinear", antialias=True)
    found: Array = made[0].numpy().transpose(1, 2, 0)
    return found
