"""Sections of a page: each part shows itself, and text stays text."""

from html.parser import HTMLParser

from learnt import Table
from learnt.report.section import NamedSentence, Words, part_html, section_of
from learnt.show.html import html_table


class Reader(HTMLParser):
    """The tags, and the text between them."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.text = [], ""
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


HOSTILE = "<script>alert('a & b')</script>"


def test_sentences_and_other_things_are_text_whatever_they_say():
    for part in (Words(HOSTILE), NamedSentence(HOSTILE, HOSTILE), HOSTILE):
        read = Reader(part_html(part))
        assert "script" not in read.tags
        assert HOSTILE in read.text


def test_what_shows_itself_is_shown_by_itself():
    table = Table({"a": [1, 2]})
    assert part_html(table) == table._repr_html_()

    class Drawing:
        def _repr_svg_(self):
            return "<svg></svg>"

    assert part_html(Drawing()) == '<figure class="paper"><svg></svg></figure>'


def test_a_figure_becomes_a_picture():
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots()
    axes.plot([0, 1])
    shown = part_html(figure)
    plt.close(figure)
    assert shown.startswith('<figure class="paper">')
    assert "svg" in Reader(shown).tags


def test_a_section_has_its_sentence_and_a_box_that_scrolls_for_each_table():
    section = section_of("Title", "A sentence.", Words("one"), html_table(["a"], [["two"]]))
    read = Reader(section.body)
    assert (section.heading, section.short) == ("Title", "Title")
    assert read.tags[:3] == ["p", "div", "p"]
    assert read.tags.count("div") == 2, "one that holds the parts, one that scrolls"
    assert 'class="scroll fit" tabindex="0" role="region" aria-label="Title"><table' in section.body
    assert read.text.split() == ["A", "sentence.", "one", "atwo"]
    assert "p" not in Reader(section_of("Title", "", "x").body).tags
