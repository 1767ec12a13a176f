"""The pages of descriptions, clusters, reductions and explanations in a real browser: one design, within any width."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.browser import chromium
from tests.report.comparisons import HOSTILE
from tests.report.test_comparison_browser import FAINT, OUTSIDE

import learnt
from learnt.cli import main
from learnt.report import Page
from learnt.report.page import page_style

pytestmark = pytest.mark.skipif(
    chromium() is None, reason="no Chromium found (apt-get install chromium, or set CHROMIUM to its path)"
)

KINDS = ("describe", "cluster", "reduce", "hostile")


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    found = {kind: folder / f"{kind}.html" for kind in KINDS}
    found["describe"].write_text(learnt.describe(learnt.datasets.load("labor")).to_html("labor"), encoding="utf-8")
    for command in ("cluster", "reduce"):
        with pytest.raises(SystemExit, match=r"^0$"):
            main([command, "dataset:glass", "--report", str(found[command]), "--quiet"])
    page = Page(HOSTILE[1], HOSTILE[8])
    wide = learnt.Table({name: [1.0, 2.0] for name in HOSTILE})
    page.add(HOSTILE[0], HOSTILE[7], wide, learnt.describe(wide), HOSTILE[7])
    page.write(found["hostile"])
    return found


@pytest.mark.costly
@pytest.mark.parametrize("width", [390, 1400])
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_quiet_and_fits_its_width(browser, pages, kind, width):
    page = browser.open(pages[kind], width)
    assert page.complaints() == []
    assert page.requests() == []
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(OUTSIDE.replace("svg", "svg, .paper")) == []
    assert page.run("document.querySelector('main').getBoundingClientRect().width") > 0.75 * width


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS[:3])
def test_text_has_the_contrast_that_wcag_aa_asks_for(browser, pages, kind, dark):
    text = FAINT.replace(".paper, script", ".spot, .paper, script")  # the spot in a cluster's colour says nothing
    assert browser.open(pages[kind], 1400, dark=dark).run(text) == []


@pytest.mark.parametrize("kind", KINDS)
def test_all_pages_have_the_one_style_and_their_contents_lead_somewhere(browser, pages, kind):
    assert page_style() in pages[kind].read_text(encoding="utf-8")
    page = browser.open(pages[kind], 1400)
    links = page.run("[...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href'))")
    assert links
    assert all(page.run(f"document.querySelector({link!r}) !== null") for link in links)
