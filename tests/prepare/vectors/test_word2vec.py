"""Word vectors of documents."""

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import Word2Vec, _core
from learnt.errors import InputError, KindError, NotFittedError, SavedModelError

GROUPS = [["cat", "kitten", "dog", "puppy"], ["bank", "money", "loan", "credit"], ["rain", "snow", "wind", "cloud"]]


def documents(n=300, seed=0):
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(GROUPS[i % 3], 8)) for i in range(n)]


def small(**changed):
    return Word2Vec(**{"n_components": 12, "min_count": 1, "epochs": 8, **changed})


@pytest.fixture(scope="module")
def model():
    return small().fit(documents())


@pytest.mark.parametrize("method", ["skip_gram", "cbow"])
def test_planted_neighbours_are_found_and_the_loss_falls(method):
    model = small(method=method, epochs=15).fit(documents())
    for group in GROUPS:
        for word in group:
            assert {near for near, _ in model.vectors_.most_similar(word, n=3)} == set(group) - {word}
    assert model.loss_[-1] < 0.8 * model.loss_[0]


def planted_analogies(seed=0, n=6000):
    """Words in proportion to exp(c·v_w), c the direction of a document, v an entity's vector and an attribute's."""
    rng = np.random.default_rng(seed)
    entities, attributes = rng.normal(size=(12, 10)), rng.normal(size=(3, 10))
    vectors = (entities[:, None] + attributes[None]).reshape(-1, 10) / np.sqrt(2)
    words = np.array([f"e{i}a{j}" for i in range(12) for j in range(3)])
    directions = rng.normal(size=(n, 10))
    directions *= 2.5 / np.linalg.norm(directions, axis=1, keepdims=True)
    shares = np.cumsum(np.exp(directions @ vectors.T), axis=1)
    shares /= shares[:, -1:]
    return words, vectors, [" ".join(words[np.searchsorted(row, rng.random(12))]) for row in shares]


@pytest.mark.costly
def test_planted_analogies_and_likeness_are_found():
    words, truth, texts = planted_analogies()
    vectors = small(n_components=20, epochs=4).fit(texts).vectors_
    right = [
        vectors.analogy(f"e{i}a{a}", f"e{i}a{b}", f"e{k}a{a}") == f"e{k}a{b}"
        for i in range(12) for k in range(12) for a in range(3) for b in range(3) if i != k and a != b
    ]  # fmt: skip
    assert np.mean(right) > 0.8
    unit = truth / np.linalg.norm(truth, axis=1, keepdims=True)
    found = [vectors.similarity(one, other) for one in words for other in words]
    assert np.corrcoef((unit @ unit.T).ravel(), found)[0, 1] > 0.9


@pytest.mark.parametrize("method", ["skip_gram", "cbow"])
def test_threads_and_streams_change_no_bit(tmp_path, method, monkeypatch):
    texts, former, seen = documents(), _core.get_threads(), []
    (tmp_path / "lines.txt").write_text("\n".join(texts), encoding="utf-8")
    pd.DataFrame({"n": range(300), "text": texts}).to_csv(tmp_path / "table.csv", index=False)
    monkeypatch.setattr("learnt.prepare.vectors.corpus.MOST_DOCUMENTS", 37)
    sources = [
        (1, texts), (2, texts), (4, texts), (2, lambda: iter(texts)), (2, tmp_path / "lines.txt"),
        (3, learnt.scan(tmp_path / "table.csv", batch_rows=50)), (2, {"n": np.arange(300.0), "text": texts}),
    ]  # fmt: skip
    try:
        for threads, source in sources:
            _core.set_threads(threads)
            model = small(method=method, epochs=2, column="text", phrases=1, phrase_threshold=2.0).fit(source)
            seen.append((model.vectors_.words, model.vectors_.array.tobytes(), model.loss_.tolist()))
    finally:
        _core.set_threads(former)
    assert all(one == seen[0] for one in seen)


def test_seeds_decide(model):
    assert np.array_equal(small().fit(documents()).vectors_.array, model.vectors_.array)
    assert not np.array_equal(small(random_state=1).fit(documents()).vectors_.array, model.vectors_.array)


def test_counts_are_those_of_the_words(model):
    texts = documents()
    for word, count, within in zip(model.vectors_, model.counts_, model.document_frequency_, strict=True):
        assert count == sum(text.split().count(word) for text in texts)
        assert within == sum(word in text.split() for text in texts)
    assert np.all(np.diff(model.counts_) <= 0)
    assert model.n_documents_ == 300


def test_rare_words_and_stop_words_are_left_out():
    texts = [*documents(), "rare cat dog", "cat dog"]
    assert "rare" not in small(min_count=2).fit(texts).vectors_
    assert "cat" not in small(stop_words=["cat"]).fit(texts).vectors_


def test_phrases_become_words():
    rng = np.random.default_rng(1)
    texts = [
        " ".join(rng.choice([f"w{i}x" for i in range(40)], 6)) + " New York Times" * (i % 5 == 0) for i in range(600)
    ]
    model = small(phrases=2, phrase_threshold=5.0, epochs=1).fit(texts)
    assert "new york times" in model.vectors_
    assert "york" not in model.vectors_
    assert model.counts_[model.vectors_.row("new york times")] == 120
    row = model.transform(["the New York Times"])
    np.testing.assert_allclose(row[0], model.vectors_["new york times"], rtol=1e-6)


# Documents


def test_a_document_is_the_mean_of_its_words(model):
    v = model.vectors_
    found = model.transform(["cat dog, cat unknown", "", None, "unknown", "Rain"])
    np.testing.assert_allclose(found[0], (2 * v["cat"] + v["dog"]) / 3, rtol=1e-5)
    assert not found[1:4].any()
    np.testing.assert_allclose(found[4], v["rain"], rtol=1e-6)


def test_idf_weighs_words_by_how_few_documents_have_them():
    model = small(weighting="idf").fit([*documents(), "cat rain"])
    v, n = model.vectors_, model.n_documents_
    idf = {w: np.log((n + 1) / (model.document_frequency_[v.row(w)] + 1)) + 1 for w in ("cat", "rain")}
    expected = (idf["cat"] * v["cat"] + idf["rain"] * v["rain"]) / (idf["cat"] + idf["rain"])
    np.testing.assert_allclose(model.transform(["cat rain"])[0], expected, rtol=1e-5)


def test_frames_give_frames(model):
    frame = pd.DataFrame({"text": ["cat", None]}, index=[7, 9])
    fitted = small(epochs=1).fit(pd.DataFrame({"text": documents(30)}))
    found = fitted.transform(frame)
    assert list(found.index) == [7, 9]
    assert list(found.columns) == [f"vector{j}" for j in range(12)]
    assert isinstance(fitted.transform(learnt.Table({"text": ["cat"]})), learnt.Table)
    assert fitted.table(["cat", "dog"]).n_rows == 2


def test_a_scan_is_transformed_by_the_column_that_was_fitted(tmp_path):
    pd.DataFrame({"n": range(30), "text": documents(30)}).to_csv(tmp_path / "table.csv", index=False)
    fitted = small(epochs=1).fit(learnt.Table({"text": documents(30)}))
    found = fitted.transform(learnt.scan(tmp_path / "table.csv", batch_rows=7))
    np.testing.assert_array_equal(found, fitted.transform(documents(30)))


def test_it_stands_in_front_of_a_classifier_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    texts, y = documents(90), np.arange(90) % 3
    pipeline = make_pipeline(small(epochs=8), LogisticRegression(C=100.0)).fit(texts, y)
    assert pipeline.score(texts, y) > 0.9


def test_mean_vectors_serve_a_classifier():
    texts = documents(240, seed=3)
    y = np.array(["animals", "money", "weather"])[np.arange(240) % 3]
    model = small().fit(texts[:200])
    classifier = learnt.LogisticRegression().fit(model.transform(texts[:200]), y[:200])
    assert classifier.score(model.transform(texts[200:]), y[200:]) == 1.0


# Hostile documents


@pytest.mark.parametrize(
    ("texts", "words"),
    [
        ([], "no document"),
        ([None, ""], "empty vocabulary"),
        (["a b c"], "empty vocabulary"),
        (["word"], "beside"),
        (["one two three"] * 4, "min_count"),
    ],
)
def test_documents_without_enough_words_are_named(texts, words):
    least = 5 if words == "min_count" else 1
    with pytest.raises(InputError, match=words):
        Word2Vec(min_count=least).fit(texts)


def test_what_is_not_text_is_named():
    with pytest.raises(KindError, match="Row 1"):
        small().fit(["some words", 7])
    with pytest.raises(KindError):
        small().fit("one text")
    with pytest.raises(InputError):
        small().fit({"x": [1.0, 2.0]})
    with pytest.raises(NotFittedError):
        small().transform(["words"])


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = small(epochs=1).fit(documents(30))
    before = model.vectors_.array.copy()
    with pytest.raises(InputError):
        model.fit([None])
    np.testing.assert_array_equal(model.vectors_.array, before)


def test_odd_documents_are_learnt_from():
    rng = np.random.default_rng(0)
    long = " ".join(rng.choice(["größe", "Straße", "中文字", "2024", "x_1", "ΟΔΟΣ"], 20_000))
    assert len(long) > 100_000
    model = small(epochs=1).fit([long, None, "", "word", "2024 17 2024"])
    assert {"größe", "straße", "中文字", "2024", "x_1", "οδος"} <= set(model.vectors_)
    assert np.isfinite(model.vectors_.array).all()


def test_one_word_again_and_again_and_two_words_are_learnt_from():
    for texts in (["word word word"], ["one two"], ["same same"] * 50):
        assert np.isfinite(small().fit(texts).vectors_.array).all()


# Saving


def test_a_saved_model_answers_alike(tmp_path):
    model = small(phrases=1, phrase_threshold=1.2, epochs=1).fit(documents())
    learnt.save(model, tmp_path / "m.learnt")
    twin = learnt.load(tmp_path / "m.learnt")
    assert twin.vectors_.words == model.vectors_.words
    np.testing.assert_array_equal(twin.transform(documents(20)), model.transform(documents(20)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("_array", np.full((12, 12), np.nan, np.float32)),
        ("_array", np.zeros((3, 12), np.float32)),
        ("counts_", np.zeros(12, np.int64)),
        ("_places", np.zeros(12, np.int32)),
        ("_ends", np.zeros(12, np.int64)),
        ("_joined", np.array([[0, 99, 12]], np.int32)),
        ("_rounds", np.array([5])),
        ("_text", np.full(3, 255, np.uint8)),
    ],
)
def test_damaged_models_are_refused(model, name, value):
    import copy

    twin = copy.deepcopy(model)
    setattr(twin, name, value)
    with pytest.raises(SavedModelError):
        twin._check_fitted_state()


@pytest.mark.parametrize("method", ["skip_gram", "cbow"])
def test_a_text_of_few_words_comes_to_rest(method):
    """Every batch is full of the same words, whose updates do not see each other."""
    rng = np.random.default_rng(0)
    rows = [" ".join(f"column{j} {rng.choice(['yes', 'no'])}" for j in range(12)) for _ in range(1000)]
    for texts in (["alpha beta gamma delta"] * 3000, rows):
        model = learnt.Word2Vec(32, method=method, min_count=1).fit(texts)
        assert model.loss_[-1] < model.loss_[0] < 4
        assert np.abs(model.vectors_.array).max() < 40
