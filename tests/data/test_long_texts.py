"""Which columns of texts hold documents and not labels."""

import pytest

from learnt.data.form import TEXT
from learnt.data.long_texts import DISTINCT, FEW, are_long_texts, form_of_texts

SENTENCES = [f"the {i}th of some sentences of seven words" for i in range(100)]
CODES = [f"{'x' * 60}{i}" for i in range(100)]
NAMES = [f"Smith, John {i}" for i in range(100)]


@pytest.mark.parametrize(("texts", "long"), [(SENTENCES, True), (CODES, False), (NAMES, False)])
def test_many_words_make_a_document_and_one_long_word_does_not(texts, long):
    assert are_long_texts(texts, 100, 100) is long
    assert form_of_texts(texts, 100) is (TEXT if long else None)


def test_few_texts_are_labels_however_long():
    assert form_of_texts(SENTENCES[: FEW - 1], FEW - 1) is None
    assert form_of_texts(SENTENCES[:FEW], FEW) is TEXT


def test_texts_that_come_again_and_again_are_labels():
    most = int(100 / DISTINCT)
    assert form_of_texts(SENTENCES, most) is TEXT
    assert form_of_texts(SENTENCES, most + 1) is None


def test_cells_that_are_no_texts_make_no_documents():
    assert not are_long_texts([*SENTENCES, 3.5], 101, 101)


def test_texts_from_all_over_the_column_are_looked_at():
    assert form_of_texts([*NAMES[:50] * 40, *SENTENCES * 40], 6000) is TEXT
