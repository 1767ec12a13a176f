"""Formulas as MathML, which browsers draw by themselves: pages need no script and no network."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.util import logging

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

NOT_DRAWN = re.compile(r"\\[a-zA-Z]+")
log = logging.getLogger(__name__)


def mathml(latex: str, *, block: bool) -> str:
    r"""What a browser draws. `\arg`, which the converter does not know, is spelt as an operator.

    >>> "arg" in mathml(r"\arg\min_f x", block=True), NOT_DRAWN.search(mathml(r"\arg\min_f x", block=True))
    (True, None)
    """
    known = re.sub(r"\\arg(?![a-zA-Z])", r"\\operatorname{arg}\\,", latex.strip())
    return convert(known, display="block" if block else "inline")


def draw(writer: HTML5Translator, node: nodes.math | nodes.math_block) -> None:
    block = isinstance(node, nodes.math_block)
    drawn = mathml(node.astext(), block=block)
    if unknown := NOT_DRAWN.search(drawn):
        log.warning("the formula %r holds %s, which would be shown as it is", node.astext(), unknown[0], location=node)
    tag = "div" if block else "span"
    writer.body.append(f'<{tag} class="formula">{drawn}</{tag}>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", inline_renderers=(draw, None), block_renderers=(draw, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
