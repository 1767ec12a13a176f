"""Scales of pixels against NumPy, of any size, and what varies images."""

import numpy as np
import pytest

from learnt.neural.torch_nets.images import Images
from learnt.neural.torch_nets.pixels import ImageItems, PixelScale, vary_images

X = np.random.default_rng(0).normal(3, 2, (7, 2, 4, 5))


def test_scales_are_means_and_deviations_by_weight():
    w = np.array([1.0, 2, 0, 1, 3, 1, 1])
    scale = PixelScale.of(Images(X), w)
    copies = np.repeat(X, w.astype(int), axis=0)
    np.testing.assert_allclose(scale.mean, copies.mean(axis=(0, 2, 3)))
    np.testing.assert_allclose(1 / scale.scale, copies.std(axis=(0, 2, 3)))
    z = scale.scaled(copies)
    np.testing.assert_allclose(z.std(axis=(0, 2, 3)), 1)


def test_missing_pixels_say_nothing_and_become_the_mean():
    gap = X.copy()
    gap[0, 0, 0, :2] = np.nan
    scale = PixelScale.of(Images(gap), None)
    assert scale.mean[0] == pytest.approx(np.nanmean(gap[:, 0]))
    assert scale.scaled(gap)[0, 0, 0, 0] == 0
    nothing = PixelScale.of(Images(np.full((2, 1, 2, 2), np.nan)), None)
    assert nothing.scaled(np.full((1, 1, 2, 2), np.nan)).tolist() == np.zeros((1, 1, 2, 2)).tolist()


@pytest.mark.parametrize("size", [1e150, 1e-150, 1e300])
def test_pixels_of_any_size_are_scaled_alike(size):
    far = PixelScale.of(Images(X * size), None)
    np.testing.assert_allclose(far.scaled(X * size), PixelScale.of(Images(X), None).scaled(X), rtol=1e-9)


def test_pixels_that_do_not_vary_are_0():
    scale = PixelScale.of(Images(np.full((3, 1, 2, 2), 0.1)), None)
    assert not scale.scaled(np.full((1, 1, 2, 2), 9.0)).any()


def test_equal_images_have_equal_keys():
    twice = ImageItems(Images(np.concatenate([X, X[:2]])), PixelScale.of(Images(X), None)).keys()
    assert twice[7:] == twice[:2]
    assert len(set(twice)) == 7


def test_shifts_and_mirrors_move_pixels_and_change_none():
    torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")
    torch.manual_seed(0)
    image = torch.arange(1.0, 257).reshape(1, 1, 16, 16).expand(40, 1, 16, 16)
    moved = vary_images("shift")(torch, image)
    assert moved.shape == image.shape
    middle = moved[:, 0, 7, 7]  # within two rows and two columns of what stood there
    assert {int(v - image[0, 0, 7, 7]) for v in middle} <= {16 * r + c for r in range(-2, 3) for c in range(-2, 3)}
    assert len(set(middle.tolist())) > 5
    rows = vary_images("shift+mirror")(torch, image)[:, 0, 7]
    falling = (rows.diff(dim=1)[:, 6:8] < 0).all(dim=1)
    assert 8 < int(falling.sum()) < 32
