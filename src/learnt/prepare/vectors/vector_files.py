"""The plain files of word2vec: a line with how many words and numbers, then each word, a space, and its numbers.

As text the numbers are written out, one word a line; in binary files they are float32, little-endian.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np

from learnt.data.table import Array
from learnt.errors import FileError, InputError
from learnt.whole_file import whole_file

#: A header or a word that is longer is none.
LONGEST_WORD = 1 << 16


def write_vectors(path: str | os.PathLike[str], words: Sequence[str], vectors: Array, *, binary: bool) -> None:
    names = ["_".join(word.split()) for word in words]
    if len(set(names)) < len(names) or "" in names:
        raise InputError(
            "Two words are the same, or one is empty, once spaces are underscores, which this format needs. "
            "Expected different words. Leave one of them out."
        )
    with whole_file(path, "The vectors") as out:
        out.write(f"{len(names)} {vectors.shape[1]}\n".encode())
        for name, row in zip(names, vectors, strict=True):
            out.write(name.encode("utf-8", "surrogatepass") + b" ")
            if binary:
                out.write(row.astype("<f4").tobytes() + b"\n")
            else:
                out.write(" ".join(map(str, row.tolist())).encode() + b"\n")


def read_vectors(path: str | os.PathLike[str]) -> tuple[list[str], Array]:
    """The words and their vectors; whether the file is text or binary, its first word tells."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            n, d = _header(file, path)
            if n * d * 2 > size:  # a digit and a space at least
                raise _broken(path, f"its first line promises {n} words of {d} numbers, more than the file can hold")
            start = file.tell()
            as_text = _is_text(file, d)
            file.seek(start)
            return _read_text(file, path, n, d) if as_text else _read_binary(file, path, n, d)
    except OSError as error:
        raise FileError(f"The file {str(path)!r} cannot be read: {error.strerror or error}.") from error


def _broken(path: Any, why: str) -> FileError:
    return FileError(f"The file {str(path)!r} holds no word vectors: {why}. Expected the plain format of word2vec.")


def _header(file: BinaryIO, path: Any) -> tuple[int, int]:
    parts = file.readline(100).split()
    if len(parts) != 2 or not all(part.isdigit() and len(part) < 12 for part in parts) or parts[1] == b"0":
        raise _broken(path, "its first line is not how many words and numbers there are")
    return int(parts[0]), int(parts[1])


def _is_text(file: BinaryIO, d: int) -> bool:
    line = file.readline(LONGEST_WORD + 64 * d)
    try:
        return len([float(part) for part in line.split()[-d:]]) == d
    except ValueError:
        return False


def _read_text(file: BinaryIO, path: Any, n: int, d: int) -> tuple[list[str], Array]:
    words, vectors = [], np.empty((n, d), np.float32)
    for i in range(n):
        parts = file.readline(LONGEST_WORD + 64 * d).rsplit(None, d)
        try:
            vectors[i] = np.array([float(part) for part in parts[1:]], np.float64).reshape(d)
        except ValueError:
            raise _broken(path, f"word {i} is not followed by {d} numbers") from None
        words.append(_word(parts[0], path, i))
    return words, vectors


def _read_binary(file: BinaryIO, path: Any, n: int, d: int) -> tuple[list[str], Array]:
    words, vectors = [], np.empty((n, d), np.float32)
    for i in range(n):
        word = bytearray()
        while (byte := file.read(1)) != b" ":
            if not byte or len(word) > LONGEST_WORD:
                raise _broken(path, f"word {i} does not end")
            if byte != b"\n" or word:  # some write a new line after the numbers
                word += byte
        row = file.read(4 * d)
        if len(row) < 4 * d:
            raise _broken(path, f"the numbers of word {i} are cut off")
        vectors[i] = np.frombuffer(row, "<f4")
        words.append(_word(bytes(word), path, i))
    return words, vectors


def _word(encoded: bytes, path: Any, i: int) -> str:
    try:
        return encoded.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        raise _broken(path, f"word {i} is not UTF-8") from None
