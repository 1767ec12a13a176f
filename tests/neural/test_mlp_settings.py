import pytest

from learnt import MLPClassifier
from learnt.errors import ParameterError


@pytest.mark.parametrize(("sizes", "hidden"), [(5, (5,)), ((3, 2), (3, 2)), ([4], (4,)), ((), ())])
def test_sizes_of_hidden_layers_may_be_said_in_several_ways(sizes, hidden):
    assert MLPClassifier(hidden_layer_sizes=sizes)._hidden() == hidden


def test_other_sizes_are_refused():
    for sizes in (0, (3, 0), "5", 2.5):
        with pytest.raises(ParameterError, match="hidden_layer_sizes"):
            MLPClassifier(hidden_layer_sizes=sizes).fit([[0.0], [1.0]], [0, 1])
