"""The last steps of a command: what cannot be written does not keep the others from being done, and is still told."""

import pytest

from learnt.cli.terminal.streams import ReaderGone
from learnt.cli.writing.steps import Steps
from learnt.errors import WriteError


def run(*failures):
    """Which of the steps were ended, and what was raised in the end."""
    done = []
    try:
        with Steps().all() as steps:
            for place, failure in enumerate(failures):
                with steps.one():
                    if failure is not None:
                        raise failure
                    done.append(place)
    except Exception as error:
        return done, error
    return done, None


def test_steps_that_work_raise_nothing():
    assert run(None, None) == ([0, 1], None)


@pytest.mark.parametrize("failure", [WriteError("The disk is full."), ReaderGone()])
def test_the_others_are_done_and_then_it_fails(failure):
    assert run(None, failure, None) == ([0, 2], failure)


def test_the_first_of_several_failures_is_told():
    first, second = WriteError("The disk is full."), WriteError("The folder is gone.")
    assert run(first, second) == ([], first)


def test_a_mistake_of_ours_is_no_failure_to_write():
    mistake = ZeroDivisionError("a mistake")
    assert run(None, mistake, None) == ([0], mistake)
