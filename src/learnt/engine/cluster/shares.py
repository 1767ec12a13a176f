"""Which worker gets which pieces: neighbours together, rows in proportion to threads, and as few moved as can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Places = dict[str, list[int]]


def shared_out(rows: Sequence[int], threads: Mapping[str, int]) -> Places:
    """All pieces, each worker's in one run.

    >>> shared_out([5, 5, 5, 5], {"a": 1, "b": 3})
    {'a': [0], 'b': [1, 2, 3]}
    """
    places: Places = {address: [] for address in threads}
    addresses, all_threads, all_rows = list(threads), sum(threads.values()), max(sum(rows), 1)
    at, before, upto = 0, 0, threads[addresses[0]] / all_threads
    for number, count in enumerate(rows):
        while at + 1 < len(addresses) and (before + count / 2) / all_rows >= upto:
            at += 1
            upto += threads[addresses[at]] / all_threads
        places[addresses[at]].append(number)
        before += count
    return places


def settled(places: Mapping[str, Sequence[int]], rows: Sequence[int], threads: Mapping[str, int]) -> Places:
    """The same pieces once workers came or went: those of the lost, and what others have beyond their share, go to
    those who have too little."""
    new: Places = {address: sorted(places.get(address, ())) for address in threads}
    free = [number for address, held in places.items() if address not in threads for number in held]
    per_thread = max(sum(rows), 1) / sum(threads.values())
    load = {address: sum(rows[number] for number in held) for address, held in new.items()}
    for address, held in new.items():
        # One that has too much by less than half a piece would have too little without it.
        while held and load[address] - per_thread * threads[address] > rows[held[-1]] / 2 and len(held) > 1:
            free.append(held.pop())
            load[address] -= rows[free[-1]]
    for number in sorted(free):
        poorest = min(load, key=lambda address: (load[address] / threads[address], address))
        new[poorest].append(number)
        load[poorest] += rows[number]
    return {address: sorted(held) for address, held in new.items()}


def handed_on(lost: Sequence[int], places: Places, rows: Sequence[int], threads: Mapping[str, int]) -> Places:
    """Pieces of a worker that is gone, to those who have least; what others have stays where it is."""
    load = {address: sum(rows[number] for number in places.get(address, ())) for address in threads}
    new: Places = {}
    for number in sorted(lost):
        poorest = min(load, key=lambda address: (load[address] / threads[address], address))
        new.setdefault(poorest, []).append(number)
        load[poorest] += rows[number]
    return new
