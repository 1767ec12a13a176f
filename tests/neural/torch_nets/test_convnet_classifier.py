import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import ConvNetClassifier
from learnt.errors import InputError, ParameterError

torch = pytest.importorskip("torch", reason="PyTorch, of the extra torch, is not installed")


@pytest.mark.costly
def test_digits_are_read_in_few_epochs(digits):
    order = np.random.default_rng(0).permutation(len(digits[1]))
    X, y = (part[order] for part in digits)
    model = ConvNetClassifier(channels=(16, 32, 64), max_iter=6).fit(X[:1200], y[:1200])
    assert model.score(X[1200:], y[1200:]) >= 0.97
    assert len(model.validation_curve_)


def test_a_folder_of_files_gives_what_the_arrays_give(digits, tmp_path):
    Image = pytest.importorskip("PIL.Image", reason="image files are read by Pillow")
    X, y = (digits[0][:80] * 15).astype(np.uint8), digits[1][:80]
    for i, (image, label) in enumerate(zip(X, y, strict=True)):
        (tmp_path / f"d{label}").mkdir(exist_ok=True)
        Image.fromarray(image).save(tmp_path / f"d{label}" / f"{i:03d}.png")
    how = {"channels": (4, 8), "max_iter": 3}
    model = ConvNetClassifier(**how).fit(tmp_path)
    arrays = ConvNetClassifier(**how).fit(X, np.char.add("d", y.astype(str)))
    np.testing.assert_array_equal(model.predict_proba(X), arrays.predict_proba(X))
    assert model.image_shape_ == (8, 8, 1)
    assert model.score(tmp_path) == arrays.score(X, np.char.add("d", y.astype(str)))
    files = sorted(tmp_path.glob("*/*.png"), key=lambda path: path.name)
    np.testing.assert_array_equal(model.predict(files), arrays.predict(X))


def test_a_column_of_images_beside_that_of_the_classes(digits):
    X, y = digits
    frame = pd.DataFrame({"image": list(X[:40]), "digit": y[:40], "w": np.arange(40) % 3})
    model = ConvNetClassifier(channels=(4,), max_iter=1).fit(frame, "digit", "w")
    array = ConvNetClassifier(channels=(4,), max_iter=1).fit(X[:40], y[:40], np.arange(40) % 3)
    np.testing.assert_array_equal(model.predict_proba(frame), array.predict_proba(X[:40]))
    np.testing.assert_array_equal(model.predict(X[:40]), model.predict(frame[["image"]]))
    assert model.score(frame, "digit", "w") == array.score(X[:40], y[:40], frame["w"])


def test_sizes_and_colours_of_new_images_are_those_fitted(digits):
    X, y = digits
    model = ConvNetClassifier(channels=(4,), max_iter=1).fit(X[:20], y[:20])
    with pytest.raises(InputError, match="9 × 9 pixels, those that were fitted 8 × 8"):
        model.predict(np.zeros((1, 9, 9)))
    with pytest.raises(InputError, match=r"3 colours, those (that were )?fitted 1"):
        model.predict(np.zeros((1, 8, 8, 3)))
    any_size = ConvNetClassifier(channels=(4,), max_iter=1, size=(6, 6)).fit([X[0], X[1][:7], X[2][:, :5]], [0, 1, 0])
    assert any_size.image_shape_ == (6, 6, 1)
    assert any_size.predict_proba([np.zeros((20, 3)), np.ones((1, 1))]).shape == (2, 2)
    with pytest.raises(ParameterError, match=r"size=\(0, 4\)"):
        any_size.set_params(size=(0, 4)).fit(X[:2], [0, 1])
    with pytest.raises(ParameterError, match="channels"):
        ConvNetClassifier(channels=()).fit(X[:2], [0, 1])


@pytest.mark.parametrize(
    "X",
    [
        np.arange(4.0).reshape(4, 1, 1),
        np.ones((4, 3, 3)),
        np.full((4, 3, 3), np.nan),
        np.arange(36.0).reshape(4, 3, 3) * 1e150,
        np.arange(36.0).reshape(4, 3, 3) * 1e-150,
        np.random.default_rng(0).integers(0, 9, (4, 5, 2, 13)),
    ],
    ids=["one pixel", "constant", "all missing", "huge", "tiny", "13 colours"],
)
@pytest.mark.parametrize("n", [2, 4])
def test_hostile_images_have_finite_answers(X, n, tmp_path):
    model = ConvNetClassifier(max_iter=2, augment="shift+mirror").fit(X[:n], [0, 1, 0, 1][:n])
    p = model.predict_proba(X)
    assert np.isfinite(p).all()
    (found,) = model.explain(X[:1])
    assert found.add_up() == pytest.approx(found.total)
    learnt.save(model, tmp_path / "net.learnt")
    np.testing.assert_array_equal(learnt.load(tmp_path / "net.learnt").predict_proba(X), p)


def test_shifting_helps_where_things_move():
    """A dot's row decides; new dots stand in columns that were never seen."""
    rng = np.random.default_rng(0)
    X, y = np.zeros((60, 16, 16)), rng.integers(0, 2, 60)
    for i in range(60):
        X[i, 3 + 9 * y[i] : 6 + 9 * y[i], 6:9] = 1 + rng.random((3, 3))
        X[i] += rng.normal(0, 0.1, (16, 16))
    model = ConvNetClassifier(channels=(4, 8), augment="shift", max_iter=4).fit(X, y)
    assert model.score(np.roll(X, 2, axis=2), y) > 0.4
    assert model.n_iter_ == 4
