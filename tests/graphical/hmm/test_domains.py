"""What settings may be."""

import numpy as np
import pytest

from learnt.errors import ParameterError
from learnt.graphical import HiddenMarkovModel
from learnt.graphical.hmm.domains import Allowed, ByColumn


def test_what_is_allowed():
    assert {"x": "poisson"} in ByColumn()
    assert "poisson" not in ByColumn()
    assert [[1, 0], [1, 1]] in Allowed()
    assert np.eye(3) in Allowed()
    for wrong in ([1, 0], "cycle", None, 3):
        assert wrong not in Allowed()


@pytest.mark.parametrize("settings", [{"emissions": 3}, {"topology": [1, 0]}, {"topology": "round"}])
def test_anything_else_is_refused_by_name(settings):
    with pytest.raises(ParameterError, match=next(iter(settings))):
        HiddenMarkovModel(2, **settings).fit({"x": [1.0, 2.0, 3.0]})
