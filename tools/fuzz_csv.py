#!/usr/bin/env python3
"""Delimited texts, damaged at random: each must become a table or an error of ours.

python tools/fuzz_csv.py --mutations 100000 --seed 1

Exit status 1, with the text that did it, if anything else is raised, if a text takes more than --seconds of processor
time, or if memory grows by more than three times the largest text and 64 MB.
"""

from __future__ import annotations

import argparse
import io
import random
import resource
import sys
import time

from learnt.data import read
from learnt.errors import LearntError

SEEDS = [
    b"a,b,c\n1,x,2020-01-01\n2.5,y,2020-02-03\n,z,\n",
    b'name;price\n"M\xc3\xbcller; Co";1,50\n"say ""hi""";2,75\n',
    b"x\ty\r\n1\t2\r\n3\t4\r\n",
    b"id|flag|when\n1|true|12/31/2024 10:00\n2|false|01/02/2024 11:30\n",
    "größe,b\nÉlan,1\nß,2\n".encode("cp1252"),
    "größe,b\nÉlan,1\nß,2\n".encode("utf-16"),
    b"h w\n1.80 m\n1.65 f\n1.70 f\n",
    b"# made by hand\na,b\n1,2\n3,4\n",
    b"zip,n\n01067,1\n80331,2\n" * 3,
    b"money,share\n$1,12 %\n$2,50 %\n",
    b'q\n"two\nlines"\n"one"\n',
    b"a,b,\n1,2,\n3,4,\n",
]
PIECES = [
    *(b",", b";", b"\t", b"|", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"\0", b"\xff", b"\xfe", b"\xef\xbb\xbf"),
    *(b"0", b"1e", b"-", b".", b"nan", b"NA", b"#", b"sep=;\n", b"%", b"\xc2", b"\xe2\x80\x83", b"9" * 30),
    *(b"1e999999999", b"2024-13-45"),
]


def mutated(text: bytes, rng: random.Random) -> bytes:
    """A few of: a byte changed, a piece put in, a run taken out, doubled or moved, the end cut off."""
    for _ in range(rng.randrange(1, 6)):
        at, to = sorted((rng.randrange(len(text) + 1), rng.randrange(len(text) + 1)))
        match rng.randrange(7):
            case 0:
                text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1 :]
            case 1 | 2:
                text = text[:at] + rng.choice(PIECES) + text[at:]
            case 3:
                text = text[:at] + text[to:]
            case 4:
                text = text[:to] + text[at:to] * rng.randrange(1, 4) + text[to:]
            case 5:
                text = text[:at]
            case _:
                text = text[at:to] + text[:at] + text[to:]
    return text[:20_000]


def attempt(text: bytes) -> str | None:
    """What is wrong with how a text was read; None if nothing is."""
    before = time.process_time()
    try:
        table = read(io.BytesIO(text), format="csv")
        table.to_dict()
    except LearntError as error:
        if "\n" in str(error).strip() and "Traceback" in str(error):
            return f"an error of several lines: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    taken = time.process_time() - before
    return f"{taken:.1f} s" if taken > SECONDS else None


SECONDS = 2.0


def run(mutations: int, seed: int) -> str | None:
    """The first failure, in words, or None."""
    rng = random.Random(seed)
    attempt(SEEDS[0])
    start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for i in range(mutations):
        text = mutated(rng.choice(SEEDS), rng)
        wrong = attempt(text)
        if wrong is not None:
            return f"mutation {i} of seed {seed}, {text!r}: {wrong}"
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start) / 1024
    return f"memory grew by {grown:.0f} MB" if grown > 64 else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mutations", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    wrong = run(asked.mutations, asked.seed)
    print(wrong or f"{asked.mutations:,} mutations: a table or an error each")
    sys.exit(wrong is not None)


if __name__ == "__main__":
    main()
