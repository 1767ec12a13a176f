"""Packages that only some files need: there, or said how to get."""

from __future__ import annotations

import json

import pytest

from learnt.data.files.optional import needed_package
from learnt.errors import MissingPackageError


def test_a_package_that_is_there_is_given():
    assert needed_package("json", "none", "Things", "t.x") is json


def test_one_that_is_not_there_is_named_with_the_file_and_what_to_install():
    with pytest.raises(MissingPackageError) as caught:
        needed_package("no_such_package_of_mine", "excel", "Workbooks", "t.xlsx")
    message = str(caught.value)
    for words in ("Workbooks", "no_such_package_of_mine", "pip install 'learnt[excel]'", "'t.xlsx'"):
        assert words in message
