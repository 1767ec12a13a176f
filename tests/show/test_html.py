"""HTML: what comes from the data is escaped, once."""

from __future__ import annotations

from html.parser import HTMLParser

from learnt.show.html import (
    Ready,
    escaped,
    html_lines,
    html_list,
    html_page,
    html_table,
    isolated,
    paragraph,
    preformatted,
)

HOSTILE = "<script>alert('x')</script>&\""


class Reader(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.words.append(data)


def test_nothing_of_the_data_becomes_a_tag():
    made = [
        *(paragraph(HOSTILE), preformatted(HOSTILE), isolated(HOSTILE), html_list([HOSTILE]), html_lines([HOSTILE])),
        html_table([HOSTILE], [[HOSTILE]], more=HOSTILE, caption=HOSTILE),
        html_page(HOSTILE, paragraph(HOSTILE)),
    ]
    for text in made:
        found = Reader(text)
        assert "script" not in found.tags
        assert HOSTILE in "".join(found.words)


def test_html_of_our_own_is_not_escaped_again():
    assert escaped(paragraph("a & b")) == "<p>a &amp; b</p>"
    assert "<td style='text-align:right'><b>1</b></td>" in html_table((), [[Ready("<b>1</b>")]])
    from markupsafe import Markup, escape

    assert escape(Ready("<b>1</b>")) == escaped(Markup("<b>1</b>")) == "<b>1</b>"


def test_a_table_shows_its_cells_in_order():
    text = html_table(["name", "n"], [["a", 1], ["b", 2]], left=(0,), kind="mine", more="… and 3 more")
    assert [w for w in Reader(text).words if w.strip()] == ["name", "n", "a", "1", "b", "2", "… and 3 more"]
    assert text.startswith("<table class='mine'>")
    assert text.count("text-align:left") == 3
    assert "<thead>" not in html_table((), [["a"]])


def test_an_empty_list_leaves_nothing():
    assert html_list([]) == ""


def test_what_a_page_forbids_stands_before_its_style():
    text = html_page("t", "b", "body {}", '<meta name="policy">\n')
    assert text.startswith("<!doctype html>")
    assert text.index("policy") < text.index("<style>")
