"""Words: what learners say of themselves holds no names of another library's types."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conformance.checks import check
from tests.conformance.subject import Subject, quietly
from tests.conformance.tables import numbers

from learnt.errors import ParameterError

WRONG = [np.float64(-21.6), np.int64(-3), np.str_("nonsense"), [np.float64(-21.6)], (np.int64(-3), np.str_("none"))]


def texts_of(model, X) -> list[str]:
    """All that a fitted learner says in words."""
    said = [str(model), repr(model), model._repr_html_()]
    said += [str(getattr(model, name)()) for name in ("summary", "to_text", "to_rules") if hasattr(model, name)]
    if hasattr(model, "explain") and hasattr(model, "predict"):
        said += [text for told in model.explain(X)[:3] for text in (str(told), repr(told), told._repr_html_())]
    return said


@check()
def no_text_speaks_of_numpy(subject: Subject) -> None:
    """Names, summaries, explanations and rules show 21.6, not `np.float64(21.6)`."""
    X = numbers(40)
    y = np.array([21.0, 22.0, 3.0])[np.arange(40) % 3] if subject.needs == "classes" else subject.target(40)
    with quietly():
        model = subject.new().fit(X, y)
        assert not [text for text in texts_of(model, X) if "np." in text]


@check(rows=False)
def no_error_about_settings_speaks_of_numpy(subject: Subject) -> None:
    """A wrong setting is quoted as one would write it, whichever library its number comes from."""
    for name, domain in subject.entry.cls.domains.items():
        for value in (v for v in WRONG if v not in domain):
            model = subject.new().set_params(**{name: value})
            assert "np." not in repr(model)
            with pytest.raises(ParameterError) as caught:
                model.fit(numbers(20), subject.target(20))
            assert "np." not in str(caught.value)
