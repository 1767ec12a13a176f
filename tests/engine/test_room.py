"""Room that is taken and given back."""

from __future__ import annotations

from learnt.engine.room import Room


def test_what_does_not_fit_takes_nothing():
    room = Room(10)
    assert room.take(6)
    assert not room.take(5)
    assert room.take(4)
    assert not room.take(1)
    room.give_back(6)
    assert room.take(6)
    assert room.used == 10


def test_nothing_fits_without_room():
    assert not Room(0).take(1)
    assert Room(0).take(0)
