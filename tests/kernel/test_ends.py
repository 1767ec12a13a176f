import numpy as np
import pytest

from learnt.errors import SavedModelError
from learnt.kernel.ends import check_ends


def test_a_number_for_each_machine_is_right():
    check_ends(3, 0.5, count=1)
    check_ends(np.array([1, 2, 3]), np.zeros(3), np.ones(3), count=3)
    check_ends(np.array([1, 2]), np.zeros(2))


@pytest.mark.parametrize(
    ("ends", "count"),
    [((np.zeros(3), np.zeros(6)), None), ((1.0, "no"), None), ((np.zeros(2), np.array(["a", "b"])), 2),
     ((np.zeros(2),), 3), ((np.zeros((2, 2)),), None)],
)  # fmt: skip
def test_anything_else_is_a_damaged_file(ends, count):
    with pytest.raises(SavedModelError, match="end of the fit"):
        check_ends(*ends, count=count)
