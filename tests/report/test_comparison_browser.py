"""The report of a comparison in a real browser: quiet, within its width, complete, and usable by keyboard."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from tests.report.browser import Page, chromium
from tests.report.comparisons import REGRESSORS, compared, hostile_comparison

import learnt
from learnt.report.comparison import render
from learnt.report.comparison.loss_slider import at_costs

pytestmark = pytest.mark.skipif(
    chromium() is None, reason="no Chromium found (apt-get install chromium, or set CHROMIUM to its path)"
)

WIDTHS = (390, 1400)
#: Text and what it stands on, where that is less than WCAG AA asks for. Pictures on paper are turned as a whole.
FAINT = """(() => {
  const rgb = (c) => { const m = c.match(/[\\d.]+/g).map(Number); return m.length < 4 ? [...m, 1] : m; };
  const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
    .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c[3] > 0.99) return c;
    }
    return rgb(getComputedStyle(document.body).backgroundColor);
  };
  const found = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || e.closest(".paper, script, title") || !e.checkVisibility()) continue;
    const style = getComputedStyle(e);
    const colour = e instanceof SVGElement ? style.fill : style.color;
    const [x, y] = [light(rgb(colour)), light(ground(e))];
    const contrast = (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
    const large = parseFloat(style.fontSize) >= 24 || (parseFloat(style.fontSize) >= 18.66 && style.fontWeight >= 700);
    if (contrast < (large ? 3 : 4.5)) found.add(`${e.tagName}.${e.className} ${colour} ${contrast.toFixed(2)}`);
  }
  return [...found];
})()"""
#: Elements that stick out of the page to the right, boxes that scroll by themselves apart.
OUTSIDE = """(() => {
  const wide = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll("*")]
    .filter((e) => !e.closest(".scroll, pre, .skip, svg") && e.checkVisibility())
    .filter((e) => e.getBoundingClientRect().right > wide + 0.5)
    .map((e) => `${e.tagName}.${e.className} ${e.getBoundingClientRect().right}`);
})()"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, Path]:
    """Two classes, three classes, numbers, and a table that means harm."""
    folder = tmp_path_factory.mktemp("pages")
    comparisons = {
        "two classes": compared(learnt.datasets.load("vote"), "Class"),
        "three classes": compared(learnt.datasets.load("iris"), "class", source="dataset:iris"),
        "numbers": compared(learnt.datasets.load("cpu"), "class", REGRESSORS),
        "hostile": hostile_comparison(),
    }
    found = {}
    for name, comparison in comparisons.items():
        found[name] = folder / f"{name}.html"
        found[name].write_text(render(comparison), encoding="utf-8")
    return found


KINDS = ("two classes", "three classes", "numbers", "hostile")


@pytest.mark.costly
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_is_quiet_and_fits_its_width(browser, pages, kind, width):
    page = browser.open(pages[kind], width)
    assert page.complaints() == []
    assert page.requests() == []
    assert page.dialogs() == 0
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run(OUTSIDE) == []
    assert page.run("document.querySelector('main').getBoundingClientRect().width") > 0.75 * width


@pytest.mark.costly
@pytest.mark.parametrize("kind", KINDS)
def test_figures_and_texts_stand_side_by_side_where_there_is_room_and_below_each_other_on_a_phone(browser, pages, kind):
    for width, columns in ((1400, 2), (390, 1)):
        page = browser.open(pages[kind], width)
        lefts = page.run("[...document.querySelectorAll('.answer > *')].map((e) => e.getBoundingClientRect().left)")
        assert len(set(lefts)) == columns
    assert page.run("[...document.querySelectorAll('.board svg')].every((s) => s.getBoundingClientRect().right <= 390)")


@pytest.mark.parametrize("kind", KINDS)
def test_every_figure_is_there_and_named(browser, pages, kind):
    page = browser.open(pages[kind], 1400)
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    flat = page.run(
        "[...document.querySelectorAll('main svg')].map((s) => s.getBoundingClientRect())"
        ".filter((r) => r.width < 1 || r.height < 1).length"
    )
    assert flat == 0
    nameless = page.run(
        "[...document.querySelectorAll('main svg')].filter((s) => s.getAttribute('aria-hidden') !== 'true' &&"
        " !(s.getAttribute('role') === 'img' && s.getAttribute('aria-label'))).length"
    )
    assert nameless == 0
    rows = page.run("document.querySelectorAll('#leaderboard-table tbody tr').length")
    assert page.run("document.querySelectorAll('#leaderboard-table td.figure svg').length") == rows > 2
    assert page.run("document.querySelectorAll('#figure-ranks svg').length") == 1
    drawn = kind != "numbers"  # there the best is a linear model, which is read as text
    assert page.run("document.querySelectorAll('#figure-model').length") == drawn
    assert page.run("document.querySelectorAll('.multiples svg').length") > 1


@pytest.mark.costly
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_text_has_the_contrast_that_wcag_aa_asks_for(browser, pages, kind, dark):
    page = browser.open(pages[kind], 1400, dark=dark)
    page.run("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    assert page.run(FAINT) == []


def test_the_check_of_contrast_can_fail(browser, tmp_path):
    file = tmp_path / "faint.html"
    file.write_text("<!doctype html><body style='background:#fff'><p style='color:#999'>faint</p>")
    assert browser.open(file).run(FAINT) != []


def test_the_check_of_widths_can_fail(browser, tmp_path):
    file = tmp_path / "wide.html"
    file.write_text("<!doctype html><meta name=viewport content='width=device-width'><p style='width:900px'>wide</p>")
    page = browser.open(file, 390)
    assert page.run("document.documentElement.scrollWidth") > 390
    assert page.run(OUTSIDE) != []


def reached_by_tab(page: Page, most: int = 200) -> list[str]:
    """What a person who presses Tab comes to, in order, until it starts again."""
    found: list[str] = []
    for _ in range(most):
        page.press("Tab", 9)
        words = page.run(
            "(() => { const e = document.activeElement; return e === document.body ? '' :"
            " [e.tagName, e.id, e.className, e.getAttribute('aria-label') ?? '', e.textContent.trim().slice(0, 30)]"
            ".join('|'); })()"
        )
        if not words:
            break
        found.append(words)
    return found


@pytest.mark.costly
def test_every_control_is_reached_by_keyboard(browser, pages):
    page = browser.open(pages["two classes"], 1400)
    reached = reached_by_tab(page)
    assert reached[0].startswith("A||skip")
    controls = page.run(
        "[...document.querySelectorAll('a[href], button, input, summary, [tabindex]')]"
        ".filter((e) => e.checkVisibility()).length"
    )
    assert len(reached) == controls
    for what in ("BUTTON", "INPUT|weigh-slider", "SUMMARY", "A||button", "DIV||scroll"):
        assert any(words.startswith(what) for words in reached), what


def test_the_focus_is_seen(browser, pages):
    page = browser.open(pages["two classes"], 1400)
    for _ in range(3):
        page.press("Tab", 9)
    assert page.run("parseFloat(getComputedStyle(document.activeElement).outlineWidth)") >= 2


def test_a_title_sorts_the_leaderboard_and_sorts_it_back(browser, pages):
    page = browser.open(pages["two classes"], 1400)
    names = "[...document.querySelectorAll('#leaderboard-table tbody th')].map((e) => e.dataset.value)"
    before = page.run(names)
    button = "document.querySelector('#leaderboard-table th button')"
    page.run(f"{button}.focus()")
    page.press("Enter", 13, "\r")
    assert page.run(names) == sorted(before)
    assert page.run(f"{button}.closest('th').getAttribute('aria-sort')") == "ascending"
    page.press("Enter", 13, "\r")
    assert page.run(names) == sorted(before, reverse=True)


def shown_by_slider(page: Page) -> dict[str, str]:
    return page.run(
        "Object.fromEntries([...document.querySelectorAll('.weigh [data-out]')].map((e) =>"
        " [e.dataset.out, e.textContent]))"
    )


def counts_of(page: Page) -> list[list[float]]:
    data = page.run("JSON.parse(document.querySelector('.weigh script').textContent)")
    return [data[key] for key in ("thresholds", "positives", "negatives")]


def assert_alike(moved: dict[str, str], expected: dict[str, str]) -> None:
    same = ("threshold", "tp", "fp", "fn", "tn")
    assert [moved[key] for key in same] == [expected[key] for key in same]
    for key in ("cost", "idle", "miss", "alarm"):
        assert float(moved[key]) == pytest.approx(float(expected[key]), rel=0.006)


def test_the_slider_moves_threshold_matrix_and_cost_as_computed_by_hand(browser, pages):
    page = browser.open(pages["two classes"], 1400)
    first = shown_by_slider(page)
    assert float(first["threshold"]) == 0.5
    page.run("document.querySelector('#weigh-slider').focus()")
    for _ in range(7):
        page.press("ArrowRight", 39)
    moved = shown_by_slider(page)
    assert_alike(moved, at_costs(*counts_of(page), 10**0.7, 1.0))
    assert moved["cost"] != first["cost"]
    assert float(page.run("document.querySelector('[data-cost=miss]').value")) == pytest.approx(10**0.7, rel=0.01)


def test_costs_can_be_typed_and_move_the_slider(browser, pages):
    page = browser.open(pages["two classes"], 1400)
    page.run("document.querySelector('[data-cost=miss]').select()")
    for digit in "100":
        page.press(digit, ord(digit), digit)
    assert_alike(shown_by_slider(page), at_costs(*counts_of(page), 100.0, 1.0))
    assert page.run("document.querySelector('#weigh-slider').value") == "20"
    page.run("document.querySelector('[data-cost=alarm]').select()")
    page.press("-", 189, "-")
    assert shown_by_slider(page)["alarm"] == "1", "what is no cost changes nothing"


def test_without_the_script_three_ratios_of_costs_are_there_to_read(browser, pages, tmp_path):
    silent = tmp_path / "silent.html"
    text = pages["two classes"].read_text(encoding="utf-8")
    silent.write_text(re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL), encoding="utf-8")
    page = browser.open(silent, 1400)
    assert page.run("document.querySelector('#weigh-slider').checkVisibility()") is False
    ratios = "[...document.querySelectorAll('.weigh > .scroll tbody th')].filter((e) => e.checkVisibility())"
    assert page.run(f"{ratios}.map((e) => e.textContent)") == ["1 : 1", "1 : 5", "1 : 50"]


@pytest.mark.parametrize(
    ("kind", "figures"),
    [
        ("two classes", ("agreement", "confusion", "roc", "gain", "learning-curve", "importance")),
        ("three classes", ("agreement", "confusion", "roc", "learning-curve", "importance")),
        ("numbers", ("agreement", "predictions", "residuals", "coverage", "learning-curve", "importance")),
        ("hostile", ("agreement", "confusion", "roc", "learning-curve", "importance")),
    ],
)
def test_the_figures_of_the_insights_are_there(browser, pages, kind, figures):
    page = browser.open(pages[kind], 1400)
    for figure in figures:
        assert page.run(f"document.querySelectorAll('#figure-{figure}').length") == 1, figure
    assert page.run("document.querySelectorAll('#rows h3').length") == 3
    assert page.run("document.querySelectorAll('[data-failed]').length") == 0


def test_reproduce_is_saved_from_the_page_itself(browser, pages):
    page = browser.open(pages["three classes"], 1400)
    link = "document.querySelector('a[download]')"
    assert page.run(f"{link}.download") == "reproduce.py"
    text = base64.b64decode(page.run(f"{link}.href").partition("base64,")[2]).decode()
    compile(text, "reproduce.py", "exec")
    assert "learnt.compare(" in text


def test_no_script_but_the_pages_own_may_run_and_nothing_may_be_fetched(browser, pages):
    page = browser.open(pages["three classes"], 1400)
    page.run(
        "(() => { const s = document.createElement('script'); s.textContent = 'window.harm = 1';"
        " document.body.append(s); })()"
    )
    assert page.run("window.harm === undefined")
    assert page.run("fetch('http://localhost:9/').then(() => 'fetched', () => 'refused')") == "refused"
    assert any("Content Security Policy" in words for words in page.complaints())


@pytest.mark.costly
def test_printed_pages_lose_nothing_at_the_side(browser, pages, tmp_path):
    page = browser.open(pages["two classes"], 760)
    page.call("Emulation.setEmulatedMedia", media="print")
    cut = page.run(
        "[...document.querySelectorAll('main table')].map((t) => [t.getBoundingClientRect().right,"
        " t.rows[0].cells.length]).filter(([right, cells]) => right > innerWidth + 1 && cells <= 8).length"
    )
    assert cut == 0
    page.pdf(tmp_path / "report.pdf")
    assert (tmp_path / "report.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.costly
def test_names_that_mean_harm_make_no_elements(browser, pages):
    page = browser.open(pages["hostile"], 1400)
    assert page.run("document.images.length") == 0
    assert page.run("document.querySelectorAll('iframe, object, embed, form, base, marquee').length") == 0
    kinds = page.run("[...document.scripts].map((s) => s.type)")
    assert sorted(set(kinds)) in (["", "application/json"], [""])
    assert kinds.count("") == 1
    own = page.run("document.body.innerText")
    assert "\u202e" not in own
    assert "\x1b" not in own
    assert re.search(r"<script>alert", own), "the name itself is shown, as text"
