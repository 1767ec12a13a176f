"""What the statistics hold, against their definitions in NumPy."""

from __future__ import annotations

import numpy as np
from tests.laws.examples import PASSES, N, batch, dense_design, table

from learnt import Table
from learnt.cluster.kmeans.lloyd import AssignAndSum, FindOutliers
from learnt.data.design import Design
from learnt.engine.passes import Batch
from learnt.engine.survey import survey
from learnt.linear.least_squares.cross_products import TakeCrossProducts
from learnt.linear.least_squares.triangle import TakeTriangle


def rows_and_weights():
    b, design = batch(), dense_design()
    return np.asarray(design.encode(b.table), float), b.target, b.weights


def test_a_survey_holds_weighted_means_and_deviations_of_the_cells_that_are_there() -> None:
    w, found = batch().weights, survey(table(), batch().weights)
    for j, column in enumerate(table().columns):
        there = ~column.missing
        values, weight = column.values[there].astype(float), w[there]
        mean = np.average(values, weights=weight)
        np.testing.assert_allclose(found.weight[j], weight.sum())
        np.testing.assert_allclose(found.mean[j], mean, rtol=1e-12)
        np.testing.assert_allclose(found.deviation[j], weight @ (values - mean) ** 2, rtol=1e-9)
        assert found.missing[j] == N - there.sum()
    np.testing.assert_allclose(found.categories[2], [w[table()["town"].values == c].sum() for c in range(3)])
    assert found.row_weight == w.sum()


def test_a_survey_finds_the_first_infinite_cell_over_all_shards() -> None:
    x = np.zeros((10, 3))
    x[7, 1], x[3, 2], x[8, 1] = np.inf, -np.inf, np.inf
    whole = survey(Table(x))
    first, second = survey(Table(x[:5])), survey(Table(x[5:]), first_row=5)
    assert whole.infinite.tolist() == [0, 2, 1]
    assert (first + second).infinite.tolist() == [0, 2, 1]
    for found in (whole, first + second):
        column, row = found.first_infinite
        assert np.isinf(x[row, column])
        assert not np.isinf(x[:row, column]).any()


def test_cross_products_are_centred_moments() -> None:
    x, y, w = rows_and_weights()
    z = np.column_stack([x, y])
    mean = np.average(z, axis=0, weights=w)
    found = TakeCrossProducts(dense_design()).summarize(batch())
    np.testing.assert_allclose(found.mean, mean, rtol=1e-12)
    np.testing.assert_allclose(found.products, (z - mean).T @ (w[:, None] * (z - mean)), rtol=1e-9, atol=1e-7)
    np.testing.assert_allclose(found.raw(), z.T @ (w[:, None] * z), rtol=1e-9, atol=1e-9)


def test_a_triangle_has_the_cross_products_of_its_rows() -> None:
    x, y, w = rows_and_weights()
    shift = np.arange(x.shape[1] + 1.0)
    z = np.sqrt(w)[:, None] * np.column_stack([np.ones(N), x - shift[:-1], y - shift[-1]])
    r = TakeTriangle(dense_design(), shift, True).summarize(batch()).r
    assert r.shape[0] <= r.shape[1]
    np.testing.assert_allclose(r.T @ r, z.T @ z, rtol=1e-9, atol=1e-6)


def test_assigned_rows_are_summed_by_nearest_centre() -> None:
    x, _, w = rows_and_weights()
    request: AssignAndSum = PASSES["Assigned"][0]()
    found = request(batch(), None)[0]
    distance = ((x[:, None] - request.centers[None]) ** 2).sum(axis=2)
    label = distance.argmin(axis=1)
    np.testing.assert_allclose(found.weight, np.bincount(label, w, minlength=4))
    np.testing.assert_allclose(found.sums, [(w[label == c, None] * x[label == c]).sum(axis=0) for c in range(4)])
    np.testing.assert_allclose(found.inertia, w @ distance.min(axis=1), rtol=1e-8)


def test_outliers_are_the_rows_farthest_from_their_centres_that_have_weight() -> None:
    x, _, w = rows_and_weights()
    request = PASSES["Outliers"][0]()
    found = request(batch(), None)[0]
    distance = ((x[:, None] - request.centers[None]) ** 2).sum(axis=2).min(axis=1)
    order = [i for i in np.argsort(-distance, kind="stable") if w[i] > 0][:5]
    np.testing.assert_array_equal(found.number, np.array(order) + 1000)
    np.testing.assert_allclose(found.points, x[order])


def test_copies_of_an_outlier_count_once() -> None:
    x = np.repeat([[0.0], [9.0], [5.0], [7.0]], [40, 30, 2, 1], axis=0)
    design = Design.of(survey(Table(x)), drop_reference=True)
    found = FindOutliers(design, np.zeros(1), np.zeros((1, 1)), 3)(Batch(Table(x)), None)[0]
    assert found.points.ravel().tolist() == [9.0, 7.0, 5.0]
    assert found.number.tolist() == [40, 72, 70]


def test_a_sample_is_of_rows_and_follows_from_seed_and_row_number() -> None:
    x, _, w = rows_and_weights()
    found = PASSES["Sample"][0]()(batch(), None)[0]
    cells, weights = found.taken
    assert len(cells) == 20
    assert found.rows == N
    places = [int(np.flatnonzero((x == row).all(axis=1))[0]) for row in np.asarray(cells)]
    assert len(set(places)) == 20
    np.testing.assert_array_equal(weights, w[places])
