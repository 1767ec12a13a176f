"""Pages speak the language of the field, so that readers and search engines find what they look for."""

import re

import pytest
from tests.docs.test_docs import DOCS, FENCE, ROOT, WRITTEN

#: What is written for readers by hand; docs/conformance.md is made from the words of the checks.
PAGES = [ROOT / "README.md", *(page for page in WRITTEN if page.name != "conformance.md")]
#: A word that reads as translated, and the one to use.
INSTEAD = {
    r"bell curves?|\bbells\b": "Gaussian",
    r"\bslopes?\b": "gradient",
    r"\btruths\b": "booleans",
    r"\bweighty\b": "with positive weight",
    r"few columns for many": "dimensionality reduction",
    r"\bdearer\b|\bdear\b": "expensive",
    r"is no (table|number|column)\b": "is not a …",
    r"\bexcepted failures?\b": "expected failure",
}
#: What a reader would search for, and the page whose headings have it.
HEADINGS = {
    "tutorial": "quick_start",
    "hyperparameter": "tuning",
    "dimensionality reduction": "reduction",
    "cross-validation": "evaluation",
    "train/test split": "evaluation",
    "gradient": "losses",
    "feature importance": "importance",
    "one-hot encoding": "preparation",
    "imputation": "preparation",
}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_page_uses_the_words_of_the_field(page):
    prose = re.sub(r"\s+", " ", FENCE.sub("", page.read_text("utf-8")))
    found = [f"{m[0]!r}: write {better}" for word, better in INSTEAD.items() for m in re.finditer(word, prose, re.I)]
    assert not found, f"{page.relative_to(ROOT)} says {found}"


@pytest.mark.parametrize(("words", "page"), HEADINGS.items())
def test_a_heading_has_the_words_that_readers_search_for(words, page):
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", (DOCS / f"{page}.md").read_text("utf-8")), re.MULTILINE)
    assert any(words in heading.lower() for heading in headings)
