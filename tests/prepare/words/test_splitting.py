from collections import Counter

import numpy as np
import pandas as pd
import pytest

import learnt
from learnt import BagOfWords, split_words
from learnt.errors import KindError

TEXTS = ["To be, or not to be!", "Ein Übel & the Ωmega_1", "a b", None, "twice  twice"]


@pytest.mark.parametrize("lowercase", [True, False])
def test_words_are_those_that_are_counted(lowercase):
    bag = BagOfWords(lowercase=lowercase).fit(TEXTS)
    names = bag.get_feature_names_out()
    for words, row in zip(split_words(TEXTS, lowercase=lowercase), bag.transform(TEXTS).toarray(), strict=True):
        assert Counter(words.tolist()) == {str(names[j]): int(row[j]) for j in np.flatnonzero(row)}


def test_words_stand_in_their_order_in_all_containers():
    expected = [["to", "be", "or", "not", "to", "be"], []]
    for given in ([TEXTS[0], None], np.array([TEXTS[0], ""], dtype=object), pd.Series([TEXTS[0], None]),
                  learnt.Table({"t": [TEXTS[0], None]})["t"]):  # fmt: skip
        assert [words.tolist() for words in split_words(given)] == expected
    assert split_words([None])[0].dtype.kind == "U"
    for wrong in ("one text", [1.0, 2.0]):
        with pytest.raises(KindError, match=r"Expected (one )?text"):
            split_words(wrong)
