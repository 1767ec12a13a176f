"""The plain files of word2vec."""

import numpy as np
import pytest

from learnt import WordVectors
from learnt.errors import FileError, InputError


def vectors():
    rng = np.random.default_rng(0)
    return WordVectors(
        ["the", "naïve", "new york", "中文"], rng.normal(size=(4, 5)) * 10.0 ** rng.integers(-30, 30, (4, 5))
    )


@pytest.mark.parametrize("binary", [False, True])
def test_what_is_written_is_read_to_the_bit(tmp_path, binary):
    given = vectors()
    given.write(tmp_path / "v", binary=binary)
    found = WordVectors.read(tmp_path / "v")
    assert found.words == ("the", "naïve", "new_york", "中文")
    np.testing.assert_array_equal(found.array, given.array)


@pytest.mark.parametrize("binary", [False, True])
def test_gensim_reads_the_same(tmp_path, binary):
    gensim = pytest.importorskip("gensim.models")
    given = vectors()
    given.write(tmp_path / "v", binary=binary)
    found = gensim.KeyedVectors.load_word2vec_format(str(tmp_path / "v"), binary=binary)
    assert found.index_to_key == ["the", "naïve", "new_york", "中文"]
    np.testing.assert_array_equal(found.vectors, given.array)
    found.save_word2vec_format(str(tmp_path / "theirs"), binary=binary)
    np.testing.assert_allclose(WordVectors.read(tmp_path / "theirs").array, given.array, rtol=1e-6)


def test_binary_files_of_the_first_program_have_new_lines_before_words(tmp_path):
    row = np.array([1, 2], "<f4").tobytes()
    (tmp_path / "v").write_bytes(b"2 2\na " + row + b"\nb " + row)
    assert WordVectors.read(tmp_path / "v").words == ("a", "b")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not a header\n",
        b"2\n",
        b"1 0\na\n",
        b"999999999 100\na 1\n",
        b"2 2\na 1 2\n",
        b"2 2\na 1 2\nb 1\n",
        b"2 2\na 1 2\nb 1 x\n",
        b"1 2\n\xff\xfe 1 2\n",
        b"1 2\na \x00\x00\x80?",
        b"1 2\n" + b"a" * 100,
        b"1 1\na nan\n",
        b"2 1\na 1\na 2\n",
    ],
)
def test_broken_files_are_errors_of_one_line(tmp_path, content):
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(InputError) as caught:
        WordVectors.read(tmp_path / "v")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(FileError, match="nothing"):
        WordVectors.read(tmp_path / "nothing")


def test_words_that_would_become_one_are_not_written(tmp_path):
    with pytest.raises(InputError, match="underscores"):
        WordVectors(["a b", "a_b"], np.eye(2)).write(tmp_path / "v")
    assert not (tmp_path / "v").exists()
