"""How tables print."""

from html.parser import HTMLParser

import numpy as np
import scipy.sparse as sp

from learnt.data.table import Table


def test_a_short_table_is_shown_whole_and_aligned():
    table = Table({"age": [31, None, 4.25], "town": ["Bern", "Zürich", None]}, target="town")
    assert str(table).splitlines() == [
        "    age  town",
        "numeric  nominal",
        "     31  Bern",
        "      ·  Zürich",
        "   4.25  ·",
        "3 rows × 2 columns, target 'town'",
    ]


def test_long_and_wide_tables_are_elided():
    table = Table(np.arange(40_000.0).reshape(1000, 40))
    lines = str(table).splitlines()
    assert len(lines) == 2 + 5 + 1 + 3 + 1
    assert lines[7] == "…"
    assert lines[0].split() == ["x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "…", "x37", "x38", "x39"]
    assert lines[10].split()[-1] == "39999"
    assert lines[-1] == "1,000 rows × 40 columns"


def test_just_fitting_tables_are_not_elided():
    assert "…" not in str(Table(np.zeros((9, 12))))
    assert "…" in str(Table(np.zeros((10, 12))))
    assert "…" in str(Table(np.zeros((9, 13))))


def test_odd_numbers_and_labels_keep_to_their_line():
    table = Table({"a\nb": [np.inf, 1e300, 123456789.0], "t": ["x\ny", "w" * 99, "\ud800"]})
    lines = str(table).splitlines()
    assert len(lines) == 6
    assert max(map(len, lines)) < 60
    assert "inf" in lines[2]
    assert "1e+300" in lines[3]
    assert "123456789" in lines[4]
    str(table).encode()  # lone surrogates would fail here


def test_tables_without_rows_or_columns_print():
    assert str(Table({})) == "0 rows × 0 columns"
    assert str(Table({"a": []})).splitlines() == ["      a", "numeric", "0 rows × 1 column"]
    assert "0 rows" in Table({})._repr_html_()


def test_sparse_tables_print_like_dense_ones():
    dense = np.eye(20)
    assert str(Table(sp.csr_matrix(dense))) == str(Table(dense))


class Cells(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = set(), []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_html_escapes_names_and_labels():
    evil = '<script>x&"</script>'
    page = Table({evil: ["<img src=q>", evil]}, target=evil)._repr_html_()
    cells = Cells(page)
    assert cells.tags == {"div", "table", "thead", "tr", "th", "br", "small", "tbody", "td", "p"}
    assert cells.texts[:4] == [evil, "nominal", "<img src=q>", evil]


def test_html_elides_long_tables():
    page = Table(np.zeros((1000, 2)))._repr_html_()
    assert page.count("<tr>") == 1 + 5 + 1 + 3
    assert "1,000 rows × 2 columns" in page
