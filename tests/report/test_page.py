"""The HTML page: escaped, self-contained, and drawn from things that show themselves."""

from learnt import Table
from learnt.report import Page


def test_text_is_escaped_and_own_html_is_not():
    page = Page("<b>title</b>", "a & b")
    page.add("<i>head</i>", "1 < 2", Table({"<col>": [1, 2]}), "plain <text>")
    text = page.render()
    assert "&lt;b&gt;title&lt;/b&gt;" in text
    assert "&lt;i&gt;head" in text
    assert "1 &lt; 2" in text
    assert "plain &lt;text&gt;" in text
    assert "<col>" not in text
    assert "<table" in text


def test_a_figure_becomes_an_inline_picture(tmp_path):
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([0, 1], [1, 0])
    page = Page("t")
    page.add("h", "", figure)
    text = page.write(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<svg" in text
    assert "<?xml" not in text
    assert "<script" not in text
    assert "http-equiv" not in text


def test_the_drawing_of_a_tree_is_shown():
    import learnt

    page = Page("t")
    page.add("h", "", learnt.C45Classifier().fit(learnt.datasets.load("play_tennis")).draw())
    assert '<figure class="paper"><svg' in page.render()
