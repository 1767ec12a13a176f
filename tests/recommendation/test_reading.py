"""From tables and scans to ratings: mean and scale of batches."""

import numpy as np
import pytest
import scipy.sparse

import learnt
from learnt.errors import InputError
from learnt.recommendation.ratings import Scaling
from learnt.recommendation.reading import RatingMoments, read_ratings


@pytest.mark.parametrize("cut", [0, 1, 10, 20])
def test_moments_of_batches_are_those_of_all(cut):
    rng = np.random.default_rng(0)
    values, weights = rng.normal(5, 2, 20), rng.integers(1, 4, 20).astype(float)
    moments = RatingMoments()
    for part in (slice(0, cut), slice(cut, 20)):
        moments.add(values[part], weights[part])
    mean = np.average(values, weights=weights)
    scaling = moments.scaling(centred=True)
    assert scaling.mean == pytest.approx(mean)
    assert scaling.scale == pytest.approx(np.sqrt(np.average((values - mean) ** 2, weights=weights)))
    plain = moments.scaling(centred=False)
    assert (plain.mean, plain.scale) == (0, pytest.approx(np.sqrt(np.average(values**2, weights=weights))))


def test_constant_ratings_have_no_scale():
    moments = RatingMoments()
    moments.add(np.full(3, 0.1), None)
    assert moments.scaling(centred=True) == Scaling(False, pytest.approx(0.1), 1.0)


def test_a_scan_names_its_columns(tmp_path):
    (tmp_path / "r.csv").write_text("user,item,rating\na,x,1\nb,x,2\n")
    with pytest.raises(InputError, match="name of one of its columns"):
        read_ratings(
            learnt.scan(tmp_path / "r.csv"), [1, 2], None, {}, Scaling(False), centred=True, real=np.float32, owner="M"
        )


def test_a_matrix_of_users_and_items_is_told_how_to_become_rows():
    matrix = scipy.sparse.random(5, 4, 0.5, format="csr", random_state=0)
    with pytest.raises(InputError, match="a row for each rating"):
        learnt.MatrixFactorization(2).fit(matrix)
    coo = matrix.tocoo()
    rows = {"user": coo.row, "item": coo.col, "rating": coo.data}
    assert len(learnt.MatrixFactorization(2).fit(rows).items_) == len(set(coo.col))
