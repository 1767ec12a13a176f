"""Files, models, tables and calls, damaged at random: `make fuzz MINUTES=10`.

    python -m tools.fuzz --minutes 10 --seed 0              all fuzzers, one after the other
    python -m tools.fuzz csv models --cases 100000          some of them, by count
    python -m tools.fuzz --replay build/fuzz/found/*.case   what was found, again

Each case must end in an answer or in one of our own errors, in one line. Anything else is a finding: another error, a
crash, a hang, more than 2 s of processor time, more memory than three times the case and 128 MB. A case depends on its
fuzzer, the seed and its number alone; it runs in another process, with limits, so that whatever it does is seen.
A finding is made smaller, saved as a file and reported in one line; those that were mended live in tests/fuzz/cases.
"""
