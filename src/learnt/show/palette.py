"""The colours of pictures and pages. Signs and classes are told apart by side or shape as well."""

from __future__ import annotations

INK, FAINT, LINE = "#1f2933", "#6b7785", "#b4bdc8"  # letters, lesser letters, lines
WHITE, PAPER = "#ffffff", "#f5f7f9"  # the page, and boxes on it
NO_ANSWER = "#9aa5b1"  # rows without a class or a cluster
BLUE, ORANGE, RUST, RED = "#3b75af", "#ef8636", "#c2733d", "#c4443f"
POSITIVE, NEGATIVE = BLUE, ORANGE  # also told apart by the colour-blind
HELD_OUT, TRAINING = BLUE, RUST  # rows that a score is of
MARKERS = "os^DvP*X<>"

_CLASSES = (BLUE, ORANGE, "#4f9d69", RED, "#8d6ab8", "#d9b13b", "#3fa7a3", "#d77aa8", "#8a5d4a", "#7d8894")


def class_colour(c: int) -> str:
    """Ten colours told apart easily, then hues that repeat late; grey below 0.

    >>> class_colour(0), class_colour(-1)
    ('#3b75af', '#9aa5b1')
    """
    if c < 0:
        return NO_ANSWER
    if c < len(_CLASSES):
        return _CLASSES[c]
    import colorsys

    hue = (0.11 + c * 0.61803398875) % 1.0
    red, green, blue = colorsys.hls_to_rgb(hue, 0.5 + 0.12 * (c % 3 - 1), 0.5)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def class_marker(c: int) -> str:
    """The shape of a class, so that it is also told apart without colours."""
    return "o" if c < 0 else MARKERS[c % len(MARKERS)]


def mixed(colour: str, with_colour: str, share: float) -> str:
    """`share` of the first colour, the rest of the second.

    >>> mixed("#000000", "#ffffff", 0.5)
    '#808080'
    """
    pairs = [(int(colour[i : i + 2], 16), int(with_colour[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(share * a + (1 - share) * b):02x}" for a, b in pairs)
