"""BagOfWords: scikit-learn's matrices and vocabularies on real and on odd text, streamed text, limits, errors."""

from __future__ import annotations

import random
import re
from pathlib import Path

import numpy as np
import pytest

import learnt
from learnt import BagOfWords, Table
from learnt.errors import InputError, KindError, NotFittedError, ParameterError, SavedModelError

text_of = pytest.importorskip("sklearn.feature_extraction.text", reason="compared with scikit-learn")

ROOT = Path(__file__).parents[3]
ODD = "abcXYZ  .,'’_-09éÉßẞİıΣσςΑα𝔘😀👩‍👧\u0301\u0307ṢȺⱥКкǅǆ中文٣٤\u00a0\u2028²½Ⅷªºﬁ가힣ʰ\u06dd\ud800"


def odd_texts(n=1500, seed=0):
    rng = random.Random(seed)
    return ["".join(rng.choices(ODD, k=rng.randrange(80))) for _ in range(n)]


def real_texts():
    """Sentences of about a hundred of the project's own pages and sources: prose, code, formulas."""
    files = sorted(ROOT.glob("docs/**/*.md")) + sorted((ROOT / "src").rglob("*.py"))
    return [part for file in files[:: len(files) // 100] for part in re.split(r"\n\s*\n", file.read_text("utf-8"))]


CORPORA = {"odd": odd_texts(), "real": real_texts()}


@pytest.fixture(params=list(CORPORA))
def texts(request):
    return CORPORA[request.param]


def assert_same(one, other):
    other.sort_indices()
    assert one.shape == other.shape
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_allclose(one.data, other.data, rtol=1e-13)


SETTINGS = [
    {},
    {"lowercase": False},
    {"ngram_range": (1, 2)},
    pytest.param({"ngram_range": (2, 3)}, marks=pytest.mark.slow),
    {"stop_words": ["the", "ab", "of"]},
    {"min_df": 2},
    {"min_df": 0.002, "max_df": 0.05},
    {"max_df": 5, "ngram_range": (1, 2), "stop_words": ["ab"]},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_counts_and_vocabulary_are_those_of_scikit_learn(texts, settings):
    peer = text_of.CountVectorizer(**settings)
    wanted = peer.fit_transform(texts)
    bag = BagOfWords(**settings)
    assert_same(bag.fit_transform(texts), wanted)
    assert_same(BagOfWords(**settings).fit(texts).transform(texts), wanted)
    assert bag.vocabulary_ == peer.vocabulary_
    assert bag.get_feature_names_out().tolist() == peer.get_feature_names_out().tolist()
    assert_same(bag.transform(odd_texts(50, seed=9)), peer.transform(odd_texts(50, seed=9)))


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"norm": "l1"},
        {"norm": None, "smooth_idf": False},
        {"sublinear_tf": True, "min_df": 3},
        {"ngram_range": (1, 2), "max_df": 0.5},
    ],
    ids=str,
)
def test_tf_idf_is_that_of_scikit_learn(texts, settings):
    peer = text_of.TfidfVectorizer(**settings)
    wanted = peer.fit_transform(texts)
    bag = BagOfWords("tfidf", **settings)
    assert_same(bag.fit_transform(texts), wanted)
    np.testing.assert_allclose(bag.idf_, peer.idf_, rtol=1e-14)
    assert_same(bag.transform(texts[:40]), peer.transform(texts[:40]))


def test_presence_is_that_of_scikit_learn(texts):
    assert_same(BagOfWords("presence").fit_transform(texts), text_of.CountVectorizer(binary=True).fit_transform(texts))


@pytest.mark.parametrize("n_features", [1, 97, 2**18])
def test_hashes_are_those_of_scikit_learn(texts, n_features):
    peer = text_of.HashingVectorizer(n_features=n_features, alternate_sign=False, norm=None, ngram_range=(1, 2))
    assert_same(BagOfWords(n_features=n_features, ngram_range=(1, 2)).fit_transform(texts), peer.transform(texts))


def test_a_given_vocabulary_keeps_its_order(texts):
    for given in (["the", "ab", "of"], {"ab": 1, "the": 0, "of": 2}, np.array(["the", "ab", "of"])):
        bag = BagOfWords(vocabulary=given).fit(texts)
        assert bag.get_feature_names_out().tolist() == ["the", "ab", "of"]
        assert_same(bag.transform(texts), text_of.CountVectorizer(vocabulary=["the", "ab", "of"]).transform(texts))
    assert BagOfWords(vocabulary={"b2", "a1"}).fit(texts).get_feature_names_out().tolist() == ["a1", "b2"]
    weighed = BagOfWords("tfidf", vocabulary=["the", "ab"]).fit_transform(texts)
    assert_same(weighed, text_of.TfidfVectorizer(vocabulary=["the", "ab"]).fit_transform(texts))


def test_the_most_frequent_terms_are_kept_and_of_equal_ones_the_first():
    texts = ["cc cc bb aa", "bb dd aa", "cc ee"]
    assert BagOfWords(max_features=2).fit(texts).get_feature_names_out().tolist() == ["aa", "cc"]
    assert BagOfWords("presence", max_features=3).fit(texts).get_feature_names_out().tolist() == ["aa", "bb", "cc"]
    kept = BagOfWords(max_features=2).fit_transform(texts)
    np.testing.assert_array_equal(kept.toarray(), [[1, 2], [1, 0], [0, 1]])
    assert BagOfWords(max_features=9).fit_transform(texts).shape == (3, 5)


def test_limits_leave_the_same_columns_in_one_look_as_in_two(texts):
    for settings in ({"max_features": 50}, {"min_df": 3, "max_features": 20}, {"min_df": 2, "dtype": "float32"}):
        one, two = BagOfWords(**settings), BagOfWords(**settings)
        assert_same(one.fit_transform(texts), two.fit(texts).transform(texts))
        assert one.vocabulary_ == two.vocabulary_


def test_the_matrix_is_lean():
    rows = BagOfWords(dtype="float32").fit_transform(["rain and sun", None, "sun"])
    assert (rows.data.dtype, rows.indices.dtype, rows.indptr.dtype) == (np.float32, np.int32, np.int32)
    assert rows.has_canonical_format
    assert BagOfWords().fit_transform(["rain"]).dtype == np.float64


def test_a_table_and_frames_have_columns_called_after_the_terms():
    import pandas as pd

    texts = pd.Series(["rain sun", "sun sun"], index=[7, 8])
    bag = BagOfWords().fit(texts)
    table = bag.table(texts)
    assert isinstance(table, Table)
    assert table.sparse is not None
    assert table.to_dict() == {"rain": [1.0, 0.0], "sun": [1.0, 2.0]}
    frame = BagOfWords().set_output(transform="pandas").fit_transform(texts)
    assert frame["sun"].tolist() == [1.0, 2.0]
    assert frame.index.tolist() == [7, 8]
    assert BagOfWords().set_output(transform="polars").fit_transform(texts)["rain"].to_list() == [1.0, 0.0]


def test_the_fitted_column_is_found_among_others():
    bag = BagOfWords(column="text").fit({"text": ["rain sun", "sun"], "other": [1, 2]})
    assert bag.transform({"other": [3], "text": ["sun"]}).toarray().tolist() == [[0.0, 1.0]]
    bag = BagOfWords().fit({"text": ["rain sun", "sun"], "label": ["a", "b"]}, "label")
    assert bag.transform({"label": ["a"], "text": ["sun"]}).toarray().tolist() == [[0.0, 1.0]]
    assert bag.transform(["sun"]).toarray().tolist() == [[0.0, 1.0]]


@pytest.mark.costly
def test_a_scan_keeps_the_terms_only(tmp_path):
    import tracemalloc

    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    words = np.array([f"word{i}" for i in range(300)])
    texts = [" ".join(rng.choice(words, 150)) for _ in range(6000)]
    pq.write_table(pa.table({"text": texts}), tmp_path / "texts.parquet", row_group_size=500)
    size = sum(map(len, texts))
    bag, whole = BagOfWords("tfidf", ngram_range=(1, 1)), BagOfWords("tfidf").fit(texts)
    tracemalloc.start()
    bag.fit(learnt.scan(tmp_path / "texts.parquet", batch_rows=250))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < size / 3
    assert bag.vocabulary_ == whole.vocabulary_
    np.testing.assert_array_equal(bag.idf_, whole.idf_)
    rows = bag.transform(learnt.scan(tmp_path / "texts.parquet", batch_rows=250))
    assert_same(rows, whole.transform(texts))


def test_settings_that_exclude_each_other_are_named():
    for settings, named in (
        ({"vocabulary": ["ab"], "n_features": 5}, "n_features"),
        ({"n_features": 5, "min_df": 2}, "min_df"),
        ({"vocabulary": ["ab"], "max_features": 2}, "max_features"),
        ({"vocabulary": {"ab": 0, "cd": 2}}, "from 0 to 1"),
        ({"vocabulary": ["ab", "ab"]}, "'ab' twice"),
    ):
        with pytest.raises(ParameterError, match=named):
            BagOfWords(**settings).fit(["ab"])


def test_nothing_left_to_count_is_an_error():
    with pytest.raises(InputError, match="empty vocabulary"):
        BagOfWords().fit(["a b", "", None])
    with pytest.raises(InputError, match="empty vocabulary"):
        BagOfWords(stop_words=["ab"]).fit(["AB ab"])
    with pytest.raises(InputError, match="no terms remain of 2"):
        BagOfWords(min_df=2).fit(["ab", "cd"])
    with pytest.raises(InputError, match="max_df corresponds to"):
        BagOfWords(min_df=2, max_df=1).fit(["ab", "cd"])


def test_errors_say_what_came_and_where():
    with pytest.raises(KindError, match=r"Row 1 .* b'cd'"):
        BagOfWords().fit(["ab", b"cd"])
    with pytest.raises(KindError, match="One text was given"):
        BagOfWords().fit("ab cd")
    with pytest.raises(KindError, match="'x' is numeric"):
        BagOfWords().fit({"x": [1.0, 2.0]})
    with pytest.raises(InputError, match="Did you mean 'text'"):
        BagOfWords(column="txt").fit({"text": ["ab"], "y": [1]})
    with pytest.raises(NotFittedError):
        BagOfWords().get_feature_names_out()


def test_a_damaged_model_is_refused(tmp_path):
    for damage in ("_ends", "_text", "idf_"):
        bag = BagOfWords("tfidf").fit(["rain sun", "sun"])
        setattr(bag, damage, getattr(bag, damage)[:-1])
        learnt.save(bag, tmp_path / "bag.learnt")
        with pytest.raises(SavedModelError):
            learnt.load(tmp_path / "bag.learnt")


def test_a_fitted_bag_works_in_a_pipeline_of_scikit_learn():
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    texts, y = ["free money", "money now", "lunch noon", "noon lunch"], [1, 1, 0, 0]
    ours = make_pipeline(BagOfWords(), MultinomialNB()).fit(texts, y)
    theirs = make_pipeline(text_of.CountVectorizer(), MultinomialNB()).fit(texts, y)
    np.testing.assert_allclose(ours.predict_proba(texts), theirs.predict_proba(texts), rtol=1e-12)
