"""Pixels as a net sees them: by colour, centred and scaled; and shifted or mirrored at random."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from learnt.data.table import Array
from learnt.neural.torch_nets.images import Images
from learnt.storable import FiniteNumbers, storable

#: Images whose pixels are added up at once.
CHUNK = 1024


@storable
@dataclass(frozen=True, eq=False)
class PixelScale:
    """The mean and one over the standard deviation of each colour, of images of one height and width."""

    height: int
    width: int
    mean: FiniteNumbers
    scale: FiniteNumbers

    def __post_init__(self) -> None:
        if min(self.height, self.width) < 1 or self.mean.ndim != 1 or self.mean.shape != self.scale.shape:
            raise ValueError("The scales of pixels do not fit each other.")

    @property
    def colours(self) -> int:
        return len(self.mean)

    @classmethod
    def of(cls, images: Images, weights: Array | None) -> PixelScale:
        """By the weights of images; missing pixels say nothing."""
        height, width, colours = images.shape
        mean, scale = np.zeros(colours), np.zeros(colours)
        for c in range(colours):
            mean[c], scale[c] = _moments(images.pixels[:, c], weights)
        return cls(height, width, mean, scale)

    def scaled(self, pixels: Array) -> Array:
        """In double precision, since numbers of any size are given; a missing pixel is the mean."""
        with np.errstate(over="ignore"):
            z = (pixels - self.mean[:, None, None]) * self.scale[:, None, None]
        found: Array = np.nan_to_num(z, nan=0.0, posinf=1e6, neginf=-1e6)
        return found


def _moments(pixels: Array, weights: Array | None) -> tuple[float, float]:
    """Mean and one over the standard deviation; 0 where pixels do not vary."""
    size = max(float(np.abs(np.nan_to_num(part.astype(np.float64))).max()) for part in _parts(pixels))
    if size == 0:
        return 0.0, 0.0
    mean = _weighted_mean(pixels, weights, size, 0.0, 1)
    spread = np.sqrt(_weighted_mean(pixels, weights, size, mean, 2))
    if spread <= 1e-7 * abs(mean) or spread * size == 0:
        return mean * size, 0.0
    with np.errstate(over="ignore", divide="ignore"):
        scale = float(np.float64(1) / (spread * size))
    return mean * size, scale if np.isfinite(scale) else 0.0


def _weighted_mean(pixels: Array, weights: Array | None, size: float, center: float, power: int) -> float:
    total = count = 0.0
    for k, part in enumerate(_parts(pixels)):
        x = part.astype(np.float64) / size
        there = ~np.isnan(x)
        w = np.ones(len(x)) if weights is None else weights[k * CHUNK : k * CHUNK + len(x)]
        total += float(w @ (np.where(there, x - center, 0.0) ** power).sum(axis=(1, 2)))
        count += float(w @ there.sum(axis=(1, 2)))
    return total / count if count > 0 else 0.0


def _parts(pixels: Array) -> list[Array]:
    return [pixels[first : first + CHUNK] for first in range(0, len(pixels), CHUNK)]


@dataclass(frozen=True, eq=False)
class ImageItems:
    """Images for a net, scaled batch by batch."""

    images: Images
    scale: PixelScale
    lengths: Array | None = None

    def __len__(self) -> int:
        return len(self.images)

    @property
    def places(self) -> float:
        """Pixels of an image."""
        return float(self.scale.height * self.scale.width)

    def take(self, places: Array) -> ImageItems:
        return ImageItems(Images(self.images.pixels[places]), self.scale)

    def batch(self, torch: Any, places: Array, device: Any, dtype: Any) -> tuple[Any, ...]:
        z = self.scale.scaled(self.images.pixels[places])
        return (torch.from_numpy(z).to(device, dtype),)

    def keys(self) -> list[bytes]:
        """A key for each image, the same for the same pixels."""
        return [hashlib.blake2b(image.tobytes(), digest_size=16).digest() for image in self.images.pixels]


def vary_images(how: str) -> Any:
    """What shifts images at random by up to an eighth of their size, and mirrors half of them if `how` says so."""

    def vary(torch: Any, inputs: Any) -> Any:
        n, _, height, width = inputs.shape
        down, right = height // 8, width // 8
        padded = torch.nn.functional.pad(inputs, (right, right, down, down))  # by means, which are 0
        row = torch.randint(0, 2 * down + 1, (n,))[:, None] + torch.arange(height)
        column = torch.randint(0, 2 * right + 1, (n,))[:, None] + torch.arange(width)
        if how == "shift+mirror":
            column = torch.where(torch.rand(n)[:, None] < 0.5, column, column.flip(1))
        image = torch.arange(n)[:, None, None]
        return padded[image, :, row[:, :, None], column[:, None, :]].permute(0, 3, 1, 2)

    return vary
