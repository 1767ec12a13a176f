"""The templates of the page, and what they are filled with."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from learnt.report.attempt import Failed
from learnt.report.comparison import words
from learnt.show.words import count_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


@cache
def environment(*, escaped: bool = True) -> Environment:
    """Of the templates; what is not HTML is not escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("learnt", "report/comparison/templates"),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for function in (
        words.name,
        words.learner,
        words.short,
        words.label,
        words.heading,
        words.time_words,
        words.size,
        count_of,
    ):
        made.filters[function.__name__] = function
    made.tests["failed"] = lambda part: isinstance(part, Failed)
    return made


def fill_template(template: str, **values: Any) -> Markup:
    """The template with these values, each escaped unless it is `Markup` of our own making."""
    from markupsafe import Markup

    return Markup(environment().get_template(template).render(**values))
