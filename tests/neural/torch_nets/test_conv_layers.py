"""The forward pass of images against plain NumPy, from the weights that are shown."""

import numpy as np
import pytest
from scipy.signal import correlate2d

from learnt.neural.torch_nets.conv_layers import ConvLayers


def forward(model, images):
    """Scores from `weights_` alone, loop by loop."""
    w, scale, found = model.weights_, model._pixel_scale, []
    for image in images:
        a = [(image - scale.mean[0]) * scale.scale[0]]
        for l in range(len(model.channels)):
            kernel = w[f"conv{l}.weight"]
            sums = [sum(correlate2d(x, k, "same") for x, k in zip(a, bank, strict=True)) for bank in kernel]
            norm = [w[f"norm{l}.{part}"] for part in ("running_mean", "running_var", "weight", "bias")]
            a = [np.maximum(0, g * (x - m) / np.sqrt(v + 1e-5) + b) for x, m, v, g, b in zip(sums, *norm, strict=True)]
            if l < len(model.channels) - 1:
                a = [x.reshape(x.shape[0] // 2, 2, x.shape[1] // 2, 2).max(axis=(1, 3)) for x in a]
        found.append(w["out.bias"] + w["out.weight"] @ [x.mean() for x in a])
    return np.array(found)


def test_probabilities_are_those_of_numpy(small_net, digits):
    f = forward(small_net, digits[0][:5])
    p = np.exp(f - f.max(axis=1, keepdims=True))
    np.testing.assert_allclose(small_net.predict_proba(digits[0][:5]), p / p.sum(axis=1, keepdims=True), rtol=1e-9)


def test_layers_count_what_their_largest_block_computes():
    layers = ConvLayers(1, (2,), 3)
    assert layers.work(16) == 2 * 16 * 9 * 2  # 16 places, 9 cells, 2 channels, an addition and a multiplication each
    assert ConvLayers(1, (2, 40), 3).work(16) == 2 * 4 * 9 * 2 * 40  # the largest block: a quarter of the places


@pytest.mark.parametrize("wrong", [(0, (1,), 1), (1, (), 1), (1, (0,), 1), (1, (1,), 0)])
def test_layers_without_anything_in_them_are_refused(wrong):
    with pytest.raises(ValueError, match="at least one block"):
        ConvLayers(*wrong)
