"""Images in every form that is taken, and what is refused. No PyTorch needed, but for other sizes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import learnt
from learnt.errors import InputError, KindError
from learnt.neural.torch_nets.images import read_images

RNG = np.random.default_rng(0)
GREY = RNG.integers(0, 256, (5, 4, 3)).astype(np.uint8)
COLOUR = RNG.random((5, 4, 3, 3))


def read(X, roles=(), known=None, size=None, colours=None):
    torch = None if size is None else pytest.importorskip("torch", reason="other sizes are made by PyTorch")
    return read_images(X, roles, known, size, colours, torch)


@pytest.mark.parametrize(
    "given",
    [
        GREY,
        list(GREY),
        tuple(GREY),
        pd.Series(list(GREY)),
        {"image": GREY},
        {"image": list(GREY)},
        pd.DataFrame({"image": list(GREY)}),
        [image.tolist() for image in GREY],
        GREY[..., None],
        GREY.astype(np.float64),
    ],
    ids=["array", "list", "tuple", "series", "dict", "dict of list", "frame", "lists", "one colour", "floats"],
)
def test_grey_images_are_the_same_in_all_forms(given):
    np.testing.assert_array_equal(read(given).images.pixels[:, 0], GREY)


def test_a_column_of_arrays_in_a_frame_beside_other_columns():
    arrays = np.empty(5, dtype=object)
    arrays[:] = list(COLOUR)
    frame = pd.DataFrame({"picture": arrays, "label": list("abcab"), "weight": 1.0})
    found = read(frame, roles=("label", "weight"))
    assert found.column == "picture"
    np.testing.assert_array_equal(found.images.pixels, COLOUR.transpose(0, 3, 1, 2))
    assert list(found.columns["label"]) == list("abcab")
    assert read(frame, known="picture").images.shape == (4, 3, 3)
    with pytest.raises(InputError, match="3 columns beside target and weights"):
        read(frame)
    with pytest.raises(InputError, match="'lable' names a column"):
        read(frame, roles=("lable",))
    lists = pl.DataFrame({"picture": [image.tolist() for image in GREY]})
    np.testing.assert_array_equal(read(lists).images.pixels[:, 0], GREY)


def test_missing_pixels_and_images_are_nan_and_booleans_numbers():
    gap = GREY[0].astype(float)
    gap[1, 2] = np.nan
    found = read([gap, None, GREY[1]]).images.pixels
    assert np.isnan(found[0, 0]).sum() == 1
    assert np.isnan(found[1]).all()
    assert read(GREY > 100).images.pixels.dtype == np.uint8
    with pytest.raises(InputError, match="All images are missing"):
        read([None, None])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (np.zeros((5, 64)), r"reshape: X.reshape\(-1, height, width\)"),
        (np.zeros(5), "not images"),
        (np.zeros((0, 4, 4)), "no image"),
        (np.zeros((2, 0, 4)), "not images"),
        ([], "no image"),
        ([np.zeros((2, 2)), np.zeros(3)], r"Image 1 has the shape \(3,\)"),
        ([np.zeros((2, 2)), np.zeros((3, 2))], r"Image 1 is 3 × 2 pixels, image 0 is 2 × 2.*size=\(height, width\)"),
        ([np.zeros((2, 2)), np.zeros((2, 2, 3))], "Image 1 has 3 colours, image 0 has 1"),
        ([[[1, 2], [3]]], "rows of different lengths"),
        (np.zeros((2, 3, 32, 32)), "np.moveaxis"),
        (np.full((1, 2, 2), np.inf), r"infinite at \(0, 0, 0\)"),
        ([np.array([["a", "b"], ["c", "d"]])], "not a number|Expected pixels"),
        (np.zeros((1, 2, 2), complex), "Expected pixels as numbers"),
        (5, "A int came"),
        ("digits.csv", "does not exist. Expected the name of a folder"),
        (learnt.Table({"x": [1.0]}), "A Table came"),
        ({"x": [1.0], "y": [2.0]}, "2 columns"),
    ],
)
def test_what_are_no_images_is_refused_in_words(given, words):
    with pytest.raises((InputError, KindError), match=words):
        read(given)


def test_other_sizes_are_brought_to_one():
    flat = read([np.full((6, 8), 7.0), np.full((2, 3), 7.0), np.full((4, 4), 7.0)], size=(4, 4)).images.pixels
    np.testing.assert_allclose(flat, 7.0)
    halved = read(np.arange(16.0).reshape(1, 4, 4), size=(2, 2)).images.pixels[0, 0]
    assert halved.mean() == pytest.approx(7.5)
    assert (np.diff(halved) > 0).all()
