"""What tests of pages share."""

from __future__ import annotations

import pytest
from tests.report.browser import Browser


@pytest.fixture(scope="module")
def browser():
    with Browser() as one:
        yield one
