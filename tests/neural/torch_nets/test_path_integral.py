"""Explanations of pixels and steps add up, and are those of a fine sum."""

import numpy as np
import pytest
from tests.neural.torch_nets.conftest import mixed_steps

pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


def log_odds(p):
    best, second = np.sort(p)[::-1][:2]
    return np.log(best / second)


def test_pixels_add_up_to_the_log_odds(small_net, digits):
    X = digits[0][:3].copy()
    X[1, 2, 3] = np.nan
    for found, p in zip(small_net.explain(X), small_net.predict_proba(X), strict=True):
        assert found.total == pytest.approx(log_odds(p))
        assert found.add_up() == pytest.approx(found.total)
        assert found.gap <= found.tolerance
        assert found.tolerance <= 1.01e-3 * max(
            sum(abs(e.contribution) for e in found.evidence), abs(found.total - found.base)
        )
        assert [e.column for e in found.evidence[:2]] == ["pixel (0, 0)", "pixel (0, 1)"]
        assert len(found.evidence) == 64
    gap = small_net.explain(X)[1].evidence[2 * 8 + 3]
    assert (gap.value, gap.words, gap.contribution) == (None, "missing", pytest.approx(0, abs=1e-3))
    assert "integrals from the image of mean colours over" in str(found)


def test_steps_add_up_to_the_log_odds_by_column(small_memory):
    table, _ = mixed_steps(4, seed=7)
    for found, p in zip(small_memory.explain(table), small_memory.predict_proba(table), strict=True):
        assert found.total == pytest.approx(log_odds(p))
        assert found.add_up() == pytest.approx(found.total)
        assert found.gap <= found.tolerance
    assert [e.column for e in found.evidence[:2]] == ["heat at step 0", "sign at step 0"]


def test_an_empty_sequence_is_explained_by_its_base(small_memory):
    empty = {"heat": np.zeros(0), "sign": np.zeros(0, dtype=str)}
    (found,) = small_memory.explain(empty, lengths=[0])
    assert found.evidence == ()
    assert found.base == found.total


def test_the_base_is_the_answer_to_an_image_of_means(small_net, digits):
    (found,) = small_net.explain(digits[0][:1])
    grey = np.full((1, 8, 8), small_net._pixel_scale.mean[0])
    logs = small_net.predict_log_proba(grey)[0]
    answer, other = (small_net.classes_.tolist().index(c) for c in (found.prediction, found.alternatives[0][0]))
    assert found.base == pytest.approx(logs[answer] - logs[other], rel=1e-6)
