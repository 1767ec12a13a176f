"""Ctrl-C is heard where Python drops it, and handlers of others are left alone."""

from __future__ import annotations

import gc
import signal
import sys
import threading

import pytest

from learnt.evaluate.comparison.running.interrupts import Interrupts


@pytest.fixture(autouse=True)
def usual_handler():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


class RaisesWhileDying:
    """Ctrl-C comes while this is finalised: Python can but print the exception."""

    def __del__(self):
        signal.raise_signal(signal.SIGINT)


def test_a_ctrl_c_in_a_finaliser_is_raised_at_the_next_check(monkeypatch):
    dropped = []
    monkeypatch.setattr(sys, "unraisablehook", dropped.append)
    with Interrupts() as interrupts:
        interrupts.check()  # nothing yet
        RaisesWhileDying()
        gc.collect()
        assert [type(d.exc_value) for d in dropped] == [KeyboardInterrupt]
        with pytest.raises(KeyboardInterrupt):
            interrupts.check()


def test_an_ordinary_ctrl_c_is_raised_at_once():
    with Interrupts(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_the_usual_handler_is_back_afterwards_after_an_error_too():
    inside = Interrupts()
    with inside:
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.raises(ValueError, match="work"), Interrupts():
        raise ValueError("work")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_user_stays_and_is_called():
    heard = []

    def own(number, frame):
        heard.append(number)

    signal.signal(signal.SIGINT, own)
    with Interrupts() as interrupts:
        assert signal.getsignal(signal.SIGINT) is own
        signal.raise_signal(signal.SIGINT)
        interrupts.check()  # it is the user's to raise
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is own


def test_another_thread_than_the_main_one_has_no_handlers_to_set():
    seen = []

    def work():
        with Interrupts() as interrupts:
            interrupts.check()
            seen.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [signal.default_int_handler]
