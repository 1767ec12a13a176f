"""The parser of delimited text against Python's csv module and float()."""

from __future__ import annotations

import csv
import io
import math
import random
import struct

import numpy as np
import pytest

from learnt import _core

SKIP, NUMBERS, WORDS, COUNTED = 0, 1, 2, 3


class Parsed:
    """What the parser makes of a text, read in windows and blocks of these sizes."""

    def __init__(self, text: bytes, modes, block=64, window=None, delimiter=",", quote='"', decimal="."):
        signs = (ord(delimiter), ord(quote) if quote else 0, ord(decimal))
        self.reader = _core.CsvReader(*signs, np.array(modes, np.int8), 0, block)
        memory = np.frombuffer(text, np.uint8)
        at, size = 0, window or max(len(text), 1)
        while True:
            stop = min(len(text), at + size)
            used = self.reader.parse(memory, at, stop, stop < len(text))
            at += used
            if stop == len(text):
                break
            size = 2 * size if used == 0 else window or size
        self.n_rows = self.reader.n_rows
        self.columns = [self._column(j, mode) for j, mode in enumerate(modes) if mode != SKIP]

    def _column(self, j, mode):
        words = self.reader.words(j)
        codes = self.reader.take_codes(j)
        numbers, rows = self.reader.take_numbers(j) if mode == NUMBERS else (None, None)
        return numbers, rows, codes, words

    def texts(self):
        """The rows as texts, of columns of words."""
        columns = [["" if code < 0 else words[0][code] for code in codes] for _, _, codes, words in self.columns]
        return list(zip(*columns, strict=True))

    def facts(self):
        """All of it, to be compared bit by bit."""
        arrays = [
            [None if a is None else a.tobytes() for a in (numbers, rows, codes)]
            + [words[0]]
            + [a.tolist() for a in words[1:]]
            for numbers, rows, codes, words in self.columns
        ]
        return self.n_rows, self.reader.lines, self.reader.n_bad, self.reader.bad_lines, self.reader.unclosed, arrays


def rows_by_module(text: bytes, delimiter=",", quote='"'):
    """Rows of the csv module, blank lines left out, each with the line it begins in."""
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="")
    quoting = csv.QUOTE_MINIMAL if quote else csv.QUOTE_NONE
    reader = csv.reader(lines, delimiter=delimiter, quotechar=quote or None, quoting=quoting)
    found, start = [], 1
    for row in reader:
        found.append((start, [cell.strip() for cell in row]))
        start = reader.line_num + 1
    return [(line, row) for line, row in found if row]


PIECES = [
    "a",
    "b",
    "é",
    " ",
    "\u2003",
    '"',
    '"',
    '""',
    ",",
    ",",
    "\n",
    "\n",
    "\r\n",
    "\r",
    '",',
    ',"',
    '\n"',
    '","',
    "1",
]


@pytest.mark.parametrize("seed", range(40))
def test_rows_are_those_of_the_csv_module_however_the_text_is_cut(seed):
    rng = random.Random(seed)
    for _ in range(6):
        text = "".join(rng.choice(PIECES) for _ in range(rng.randrange(250))).encode()
        rows = rows_by_module(text)
        widths = sorted({len(row) for _, row in rows}) or [1]
        width = rng.choice(widths)
        wanted = [tuple(row) for _, row in rows if len(row) == width]
        parsed = [
            Parsed(text, [WORDS] * width, block, window)
            for block in (1, 7, 64, 100, 1 << 20)
            for window in (None, 1, 17, 64, 150)
        ]
        assert parsed[0].texts() == wanted
        assert all(other.facts() == parsed[0].facts() for other in parsed)


def test_plain_numbers_of_any_length_are_those_of_float(level):
    rng = random.Random(5)
    texts = [
        f"{sign}{'7' if n else ''}{'0123456789' * 2}"[: n + len(sign)] for sign in ("", "-", "+") for n in range(1, 21)
    ]
    for digits in range(1, 19):
        for place in range(digits + 1):
            some = str(rng.randrange(1, 10)) + "".join(rng.choices("0123456789", k=digits - 1))
            texts += [rng.choice(["", "-", "+"]) + some[:place] + "." + some[place:] for _ in range(3)]
    texts += ["0", "-0", "0.0", "-0.0", ".5", "-.5", "5.", "9007199254740993", "9007199254740992", "99999999.99999999"]
    for _ in range(3):
        rng.shuffle(texts)
        rows = [texts[i : i + 3] for i in range(0, len(texts) // 3 * 3, 3)]
        for decimal, delimiter in ((".", ","), (",", ";")):
            text = "\n".join(delimiter.join(cells) for cells in rows).replace(".", decimal) + "\n"
            parsed = Parsed(text.encode(), [NUMBERS] * 3, 1 << 20, delimiter=delimiter, decimal=decimal)
            for j in range(3):
                numbers, others, _, _ = parsed.columns[j]
                wanted = np.array([float(row[j]) for row in rows])
                assert len(others) == 0
                assert numbers.tobytes() == wanted.tobytes()


def test_words_are_found_again_however_many_there_are():
    rng = random.Random(6)
    words = [f"w{rng.randrange(30_000)}" * rng.choice([1, 1, 3]) for _ in range(40_000)]
    parsed = Parsed("".join(f"{word},1\n" for word in words).encode(), [WORDS, NUMBERS], 5000, 1 << 16)
    _, _, codes, (texts, _, counts, lines) = parsed.columns[0]
    places = {word: i for i, word in reversed(list(enumerate(words)))}
    assert list(texts) == sorted(places, key=places.get)
    assert [texts[code] for code in codes] == words
    assert lines.tolist() == [places[word] + 1 for word in texts]
    assert counts.sum() == len(words)


def test_every_instruction_set_and_number_of_threads_gives_the_same_bits(level):
    rng = random.Random(1)
    cells = ["1", "-2.5", "", "x", '"a,b"', '"y\nz"', "1e5", "12345678901234567", " 7 ", '""', '"3"', "007"]
    rows = [",".join(rng.choices(cells, k=5)) + rng.choice(["\n", "\r\n"]) for _ in range(2000)]
    text, modes = "".join(rows).encode(), [NUMBERS, WORDS, NUMBERS, SKIP, WORDS]
    _core.set_simd_level("baseline")
    wanted = Parsed(text, modes, 1 << 20).facts()
    _core.set_simd_level(level)
    for n in (1, 2):
        _core.set_threads(n)
        for block, window in ((16, None), (100, 300), (999, 5000), (1 << 20, None)):
            assert Parsed(text, modes, block, window).facts() == wanted


def nasty_numbers():
    rng = random.Random(3)
    texts = [
        "0",
        "-0",
        "0.0",
        ".5",
        "5.",
        "+1",
        "1e5",
        "1E+5",
        "1e-5",
        "00.5",
        "1e400",
        "-1e400",
        "1e-400",
        "-1e-400",
        "1e22",
        "1e23",
        "0.1",
        "0.3",
        "0e0",
        "0e999999999999",
        "9007199254740993",
        "9007199254740992",
        "9007199254740991.5",
        "123456789012345678901234567890",
        "1e99999999999999999999",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "4.9e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1.7976931348623157e308",
        "1.7976931348623159e308",
        "3.14159265358979323846264338327950288",
        "1e000000005",
        "9999999999999999",
        "999999999999999.9",
        "0.000000000000001",
        "1234567890.12345",
    ]
    texts += ["0." + "0" * 400 + "1", "1" + "0" * 400, "1" + "0" * 308]
    for _ in range(4000):
        bits = rng.getrandbits(64)
        value = struct.unpack("d", struct.pack("Q", bits))[0]
        if math.isfinite(value):
            texts += [repr(value), f"{value:.25e}", f"{value:.17g}"]
        texts.append(f"{rng.uniform(-1000, 1000):.{rng.randrange(12)}f}")
        texts.append(str(rng.randrange(10 ** rng.randrange(1, 25))))
        # Half way between two doubles, and a hair off it.
        near = rng.randrange(2**53, 2**54, 2) + 1
        texts += [str(near), f"{near}.0000000000001", f"{near - 1}.9999999999999"]
    return texts


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("decimal", [".", ","])
def test_numbers_are_those_of_python_to_the_last_bit(decimal):
    texts = nasty_numbers()
    content = "".join(text.replace(".", decimal) + ";x\n" for text in texts).encode()
    numbers, rows, _, words = Parsed(content, [NUMBERS, WORDS], 1 << 12, delimiter=";", decimal=decimal).columns[0]
    assert not len(rows), words[0][:5]
    np.testing.assert_array_equal(numbers.view(np.uint64), np.array(list(map(float, texts))).view(np.uint64))


NO_NUMBERS = [
    "nan",
    "inf",
    "-inf",
    "infinity",
    "0x10",
    "1_000",
    "1e",
    "1e+",
    "e5",
    ".",
    "-",
    "+",
    "--1",
    "+-1",
    "1.2.3",
    "1,5",
    "١",
    "007",
    "-01",
    "00",
    "1e5.5",
    "1.5e",
    "1-2",
    "2020-01-01",
    "12345678901234567a",
    "1 2",
    "\x00",
    "1\x00",
]


def test_what_is_no_number_is_a_word():
    content = "".join(f"{text};x\n" for text in NO_NUMBERS).encode()
    numbers, rows, codes, words = Parsed(content, [NUMBERS, WORDS], delimiter=";").columns[0]
    assert np.isnan(numbers).all()
    assert [words[0][code] for code in codes] == NO_NUMBERS
    assert rows.tolist() == list(range(len(NO_NUMBERS)))


@pytest.mark.usefixtures("level")
@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("width", [1, 3, 11])
def test_numbers_are_told_from_words_wherever_they_stand(width, decimal):
    """Cells of the signs of numbers at random, against Python's float; counted columns tell the same as read ones."""
    random.seed(width)
    signs = ["0", "1", "9", "12", "345", decimal, decimal, "-", "+", "e", "12345678901", "x"]
    cells = [
        "".join(random.choices(signs, [3, 3, 3, 3, 3, 2, 2, 1, 1, 0.3, 0.5, 0.2], k=random.randrange(1, 6)))
        for _ in range(300 * width)
    ]
    rows = [cells[i : i + width] for i in range(0, len(cells), width)]
    content = "\n".join(map(";".join, rows)).encode()

    def number(text):
        if text.lstrip("+-").isdigit() and len(text) > 1 and text.lstrip("+-")[0] == "0" and text.lstrip("+-") != "0":
            return math.nan  # 007
        try:
            return float(text.replace(",", "."))
        except ValueError:
            return math.nan

    for block in (64, 1000):
        read = Parsed(content, [NUMBERS] * width, block, delimiter=";", decimal=decimal)
        count = Parsed(content, [COUNTED] * width, block, delimiter=";", decimal=decimal)
        for j, ((numbers, _, _, words), (_, _, _, told)) in enumerate(zip(read.columns, count.columns, strict=True)):
            wanted = np.array([number(row[j]) for row in rows])
            np.testing.assert_array_equal(numbers.view(np.uint64), wanted.view(np.uint64))
            assert count.reader.n_numbers(j) == read.reader.n_numbers(j) == (~np.isnan(wanted)).sum()
            assert words[0] == told[0]
            assert words[2].tolist() == told[2].tolist()
            assert words[3].tolist() == told[3].tolist()


def test_a_file_apart_by_signs_of_numbers_is_read_all_the_same():
    numbers, _, _, words = Parsed(b"12-7\n007-x\n-3\n", [NUMBERS, WORDS], delimiter="-").columns[0]
    np.testing.assert_array_equal(numbers, [12, np.nan, np.nan])
    assert words[0] == ("007",)
    numbers, _, _, words = Parsed(b"1,007\n5,,6\n", [NUMBERS] * 3, delimiter=",", decimal=",").columns[1]
    assert (np.isnan(numbers).tolist(), words[0]) == ([True], ())


def test_words_that_are_kept_have_the_same_numbers_in_the_next_rows():
    reader = _core.CsvReader(44, 34, 46, np.array([WORDS, WORDS], np.int8), 0, 64)
    first, second = (np.frombuffer(text, np.uint8) for text in (b"a,p\nb,q\na,r\n", b"c,s\nb,p\n"))
    reader.parse(first, 0, len(first), True)
    reader.begin_again(2)
    assert (reader.n_rows, reader.n_words(0), reader.n_words(1)) == (0, 2, 0)
    reader.parse(second, 0, len(second), False)
    assert reader.words(0)[0] == ("a", "b", "c")
    assert reader.words(1)[0] == ("s", "p")
    assert [reader.take_codes(j).tolist() for j in range(2)] == [[2, 1], [0, 1]]


def test_words_are_counted_with_the_line_of_the_first_and_quoted_ones_apart():
    text = b'a,1\n"a",x\n\n"b\nb",2\na,\n b ,x\n"",\n'
    parsed = Parsed(text, [WORDS, NUMBERS])
    texts, quoted, counts, lines = parsed.columns[0][3]
    assert texts == ("a", "a", "b\nb", "b", "")
    assert quoted.tolist() == [False, True, True, False, True]
    assert counts.tolist() == [2, 1, 1, 1, 1]
    assert lines.tolist() == [1, 2, 4, 7, 8]
    numbers, rows, codes, words = parsed.columns[1]
    np.testing.assert_array_equal(numbers, [1, np.nan, 2, np.nan, np.nan, np.nan])
    assert rows.tolist() == [1, 4]
    assert (words[0], codes.tolist(), words[3].tolist()) == (("x",), [0, 0], [2])


def test_rows_of_another_length_are_counted_with_their_lines():
    parsed = Parsed(b'1,2\n3\n\n4,5,6\n"x\ny",7\n8\n', [WORDS, WORDS], 5)
    assert parsed.texts() == [("1", "2"), ("x\ny", "7")]
    assert (parsed.reader.n_bad, parsed.reader.bad_lines) == (3, (2, 4, 7))


@pytest.mark.parametrize("text", [b'1,"x', b'1,"x\n2,3\n', b'1,2\n3,"', b'1,"""'])
def test_a_quote_that_is_never_closed_is_told(text):
    for block in (1, 3, 1000):
        assert Parsed(text, [WORDS, WORDS], block).reader.unclosed
    assert not Parsed(b'1,"x"\n', [WORDS, WORDS]).reader.unclosed


def test_a_text_in_many_ways_of_many_words_keeps_them_apart():
    texts = [f"{'x' * (i % 40)}{i}" for i in range(30_000)]
    content = "".join(f"{text},{text}\n" for text in texts * 2).encode()
    parsed = Parsed(content, [WORDS, WORDS], 1000, 70_000)
    assert parsed.columns[0][3][0] == tuple(texts)
    assert parsed.columns[0][2].tolist() == list(range(30_000)) * 2


def test_wrong_arguments_are_refused():
    modes = np.array([1], np.int8)
    for signs in ((0, 34, 46), (10, 34, 46), (300, 34, 46), (44, -1, 46)):
        with pytest.raises(ValueError, match=r"delimiter|quote"):
            _core.CsvReader(*signs, modes, 0, 64)
    with pytest.raises(ValueError, match="columns"):
        _core.CsvReader(44, 34, 46, modes[:0], 0, 64)
    with pytest.raises(ValueError, match="0, 1, 2 or 3"):
        _core.CsvReader(44, 34, 46, modes + 3, 0, 64)
    reader = _core.CsvReader(44, 34, 46, modes, 0, 64)
    memory = np.zeros(3, np.uint8)
    for start, stop in ((-1, 2), (2, 1), (0, 4)):
        with pytest.raises(ValueError, match="not in the array"):
            reader.parse(memory, start, stop, False)
    with pytest.raises(IndexError):
        reader.words(1)
