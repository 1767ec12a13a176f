"""How numbers are written: few digits, a true minus, shares in per cent."""

from __future__ import annotations

import math

MINUS = "−"
NOTHING = "–"  # where there is no number
ROUNDING = 1e-12  # of the size of what was added: as much as rounding may leave of a sum that is zero


def number(x: float, scale: float = 0.0) -> str:
    """Four significant digits, without exponent where that is readable; whole digits are never dropped.

    `scale` is how large the numbers are that x was made of: what rounding left of them is 0.

    >>> number(23.45678), number(-0.00012344), number(123456.7), number(3.0)
    ('23.46', '−0.0001234', '123457', '3')
    >>> number(1.776e-15), number(1.776e-15, scale=2.5)
    ('1.776e-15', '0')
    """
    x = float(x)
    if abs(x) <= ROUNDING * scale < math.inf:
        x = 0.0
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "∞" if x > 0 else MINUS + "∞"
    size = abs(x)
    if 1e4 <= size < 1e9:
        text = f"{size:.0f}"
    elif 1e-5 <= size < 1e-4:  # where %g would already turn to exponents
        text = f"{size:.8f}".rstrip("0")
    else:
        text = f"{size:.4g}"
    return _with_sign(x, text)


def signed(x: float, scale: float = 0.0) -> str:
    """A number with its sign always shown, for terms of a sum."""
    text = number(x, scale)
    return text if text.startswith(MINUS) else "+" + text


def figure(x: float) -> str:
    """A number, or a dash where there is none."""
    return NOTHING if x != x else number(x)


def fixed(x: float, decimals: int) -> str:
    """As many decimals as asked for; what rounds to zero has no sign.

    >>> fixed(-0.25, 3), fixed(-0.0001, 3), fixed(float("nan"), 3)
    ('−0.250', '0.000', '–')
    """
    x = float(x)
    if not math.isfinite(x):
        return figure(x)
    return _with_sign(x, f"{abs(x):.{decimals}f}")


def percent(share: float, decimals: int | None = None) -> str:
    """A share in per cent: to three digits, or with so many decimals. Where that would say 0 % or 100 % of what is
    neither none nor all, it has up to two digits more.

    >>> percent(0.5), percent(1 / 3), percent(1 / 3, 0), percent(0.004, 0), percent(0.9996), percent(1)
    ('50 %', '33.3 %', '33 %', '0.4 %', '99.96 %', '100 %')
    >>> percent(1e-9, 1), percent(1 - 1e-9, 1), percent(float("nan"))
    ('<0.001 %', '>99.999 %', '–')
    """
    share = float(share)
    if not math.isfinite(share):
        return NOTHING if math.isnan(share) else f"{number(share)} %"
    size = abs(share)
    more = [_percent_digits(size, decimals, extra) for extra in range(3)]
    exact = min(size, abs(size - 1)) < ROUNDING
    text = next((t for t in more if exact or _bare(t) not in ("0", "100")), None)
    if text is None:
        step = 0.001 if decimals is None else 10.0 ** -(decimals + 2)
        bound = step if size < 0.5 else 100 - step
        text = f"{'<' if size < 0.5 else '>'}{bound:.{3 if decimals is None else decimals + 2}f}"
    return f"{_with_sign(share, text)} %"


def _percent_digits(size: float, decimals: int | None, extra: int) -> str:
    if decimals is not None:
        return f"{100 * size:.{decimals + extra}f}"
    if size >= 10:
        return f"{100 * size:.0f}"
    text = f"{100 * size:.{3 + extra}g}"
    return "0" if "e" in text else text


def _bare(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def _with_sign(x: float, text: str) -> str:
    return (MINUS if x < 0 and text.strip("0.") else "") + text
