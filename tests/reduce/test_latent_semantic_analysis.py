"""Latent semantic analysis against scikit-learn's TruncatedSVD and NumPy's singular values."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import TruncatedSVD

from learnt import BagOfWords, LatentSemanticAnalysis, Table
from learnt.errors import InputError, ParameterError

TEXTS = ["the cat purrs", "cat and kitten", "the kitten purrs", "stocks and bonds", "bonds rise, stocks fall"]


def counts(n=300, p=1500, seed=0):
    """Documents of four topics of words."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(4, size=n)
    words = (rng.integers(p // 4, size=(n, 12)) + topic[:, None] * (p // 4)).ravel()
    rows = np.repeat(np.arange(n), 12)
    return sparse.coo_matrix((np.ones(len(rows)), (rows, words)), shape=(n, p)).tocsr()


@pytest.mark.parametrize("p", [200, 1500])
def test_topics_are_those_of_truncated_svd(p):
    x = counts(p=p)
    theirs = TruncatedSVD(4, algorithm="arpack", random_state=0).fit(x)
    ours = LatentSemanticAnalysis(4, random_state=0, tol=1e-10, max_iter=200).fit(x)
    assert ours.converged_
    np.testing.assert_allclose(ours.singular_values_, theirs.singular_values_, rtol=1e-9)
    np.testing.assert_allclose(np.abs((ours.components_ * theirs.components_).sum(axis=1)), 1, rtol=1e-8)
    np.testing.assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-6)
    np.testing.assert_allclose(np.abs(ours.transform(x)), np.abs(theirs.transform(x)), atol=1e-6)


def test_documents_matrices_and_tables_of_words_are_one():
    bag = BagOfWords("tfidf").fit(TEXTS)
    from_texts = LatentSemanticAnalysis(2, random_state=0).fit(TEXTS)
    from_table = LatentSemanticAnalysis(2, random_state=0).fit(bag.table(TEXTS))
    from_matrix = LatentSemanticAnalysis(2, random_state=0).fit(bag.transform(TEXTS))
    table = Table({"text": TEXTS})
    from_column = LatentSemanticAnalysis(2, words=BagOfWords("tfidf"), random_state=0).fit(table)
    for model in (from_table, from_matrix, from_column):
        np.testing.assert_allclose(model.components_, from_texts.components_, atol=1e-12)
    expected = np.array(from_texts.transform(TEXTS))
    np.testing.assert_allclose(np.array(from_table.transform(bag.table(TEXTS))), expected)
    np.testing.assert_allclose(np.array(from_column.transform(table)), expected)
    assert from_texts.terms(0, 3) == from_table.terms(0, 3)
    exact = np.linalg.svd(bag.transform(TEXTS).toarray(), compute_uv=False)
    np.testing.assert_allclose(from_texts.singular_values_, exact[:2], rtol=1e-10)


def test_topics_are_told_by_their_words_and_documents_compared():
    model = LatentSemanticAnalysis(2, random_state=0).fit(TEXTS)
    assert {term for term, _ in model.terms(1, 2)} == {"bonds", "stocks"}
    near, far = model.similarity(["cat"], ["kitten", "bonds"])[0]
    assert near > 0.9 > 0.3 > far
    assert model.similar_terms("cat", 1)[0][0] == "kitten"
    own = model.similarity(TEXTS)
    np.testing.assert_allclose(own, own.T)
    np.testing.assert_allclose(np.diagonal(own), 1)
    assert not model.similarity(["unknown words only"], TEXTS).any()
    assert "kitten" in str(model)
    with pytest.raises(InputError, match="no term 'dog'"):
        model.similar_terms("dog")


def test_a_topic_is_explained_by_the_words_of_the_document():
    model = LatentSemanticAnalysis(2, random_state=0).fit(TEXTS)
    told = model.explain(["the kitten"], component=0)[0]
    assert told.total == pytest.approx(np.array(model.transform(["the kitten"]))[0, 0])
    assert {e.column for e in told.evidence} == {"the", "kitten", "all other columns"}


def test_there_are_never_more_topics_than_documents_or_terms():
    assert LatentSemanticAnalysis().fit(TEXTS).n_components_ <= 5
    same = LatentSemanticAnalysis().fit(["same words"] * 4)
    assert same.n_components_ == 1
    assert same.singular_values_[0] == pytest.approx(2.0)


def test_weights_are_copies():
    x, many = counts(60, 80), np.random.default_rng(0).integers(0, 3, 60)
    one = LatentSemanticAnalysis(3).fit(x, sample_weight=many)
    two = LatentSemanticAnalysis(3).fit(x[np.repeat(np.arange(60), many)])
    np.testing.assert_allclose(one.singular_values_, two.singular_values_, rtol=1e-12)


def test_what_reads_the_words_must_be_a_bag():
    with pytest.raises(ParameterError, match="BagOfWords"):
        LatentSemanticAnalysis(words="tfidf").fit(TEXTS)
    with pytest.raises(InputError):
        LatentSemanticAnalysis().fit([])


def test_a_model_of_documents_is_saved_with_its_words(tmp_path):
    import learnt

    model = LatentSemanticAnalysis(2, random_state=0).fit(TEXTS)
    learnt.save(model, tmp_path / "topics.learnt")
    again = learnt.load(tmp_path / "topics.learnt")
    np.testing.assert_array_equal(np.array(again.transform(TEXTS)), np.array(model.transform(TEXTS)))


def test_documents_of_the_largest_counts_have_a_direction():
    rng = np.random.default_rng(0)
    model = LatentSemanticAnalysis(n_components=2).fit(rng.random((30, 3)))
    cosines = model.similarity(np.array([[1.7e308, 1.7e308, 1.7e308], [1e308, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    assert np.isfinite(cosines).all()
    np.testing.assert_allclose(np.diagonal(cosines), 1)
