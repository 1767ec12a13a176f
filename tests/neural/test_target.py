import numpy as np
import pytest

from learnt.errors import InputError
from learnt.neural.target import TargetSums


def test_sums_of_halves_are_those_of_the_whole():
    y, w = np.array([0, 1, 1, 2, 0]), np.array([1.0, 0.0, 2.0, 3.0, 1.0])
    both = TargetSums.of(y[:2], w[:2], 3) + TargetSums.of(y[2:], w[2:], 3)
    assert both.weight.tolist() == [2, 2, 3]
    assert both.heads.tolist() == [2, 1, 1]
    assert both.mean_weight(None) == pytest.approx(7 / 4)
    assert both.mean_weight(np.array([1.0, 0.0, 2.0])) == pytest.approx(8 / 3)


def test_numbers_have_mean_and_spread():
    y, w = np.array([1.0, 2.0, 9.0]), np.array([1.0, 1.0, 0.0])
    assert TargetSums.of(y, w, 0).mean_and_spread == (1.5, 0.5)
    assert TargetSums.of(np.ones(4), None, 0).mean_and_spread == (1.0, 1.0)
    with pytest.raises(InputError, match="overflow"):
        TargetSums.of(np.array([-1e200, 1e200]), None, 0).mean_and_spread
