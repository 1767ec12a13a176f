"""Networks as files: BIF, the exchange format of the field, and XMLBIF."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from learnt.errors import FileError, InputError
from learnt.graphical.network.raw_network import RawNetwork

if TYPE_CHECKING:
    from learnt.graphical.network.bayesian_network import BayesianNetwork

MOST_BYTES = 2**28  # of a file: a network that is larger is none


def read_bif(path: str | os.PathLike[str]) -> BayesianNetwork:
    """A network from a BIF file, or from XMLBIF, whichever it is. The file may come from anyone.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "coin.bif")
    >>> _ = open(path, "w").write(
    ...     "network coin {} variable side { type discrete [ 2 ] { heads, tails }; }"
    ...     "probability ( side ) { table 0.5, 0.5; }")
    >>> read_bif(path).infer("side")["heads"]
    np.float64(0.5)
    """
    name = os.fspath(path)
    try:
        size = os.path.getsize(path)
        if size > MOST_BYTES:
            raise FileError(f"It has {size:,} bytes. At most {MOST_BYTES:,} are read as a network.", name)
        content = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"It cannot be read: {error.strerror or error}.", name) from error
    return network_of(content, name)


def network_of(content: bytes, name: str = "") -> BayesianNetwork:
    """A network from the bytes of a file."""
    if b"\x00" in content[:4096]:
        raise FileError("It holds zero bytes: it is neither BIF nor XMLBIF.", name)
    text = content.removeprefix(b"\xef\xbb\xbf")
    raw: RawNetwork
    try:
        if text.lstrip()[:1] == b"<":
            from learnt.graphical.network.xmlbif import parse_xmlbif

            raw = parse_xmlbif(text)
        else:
            from learnt.graphical.network.bif import parse_bif

            raw = parse_bif(text.decode("utf-8", "replace"))
        return raw.network()
    except FileError as error:
        raise FileError(error._message, name, error.line) from None
    except InputError as error:
        raise FileError(str(error), name) from error


def write_network(network: BayesianNetwork, path: str | os.PathLike[str]) -> None:
    """As BIF, or as XMLBIF where the name ends in .xml or .xmlbif."""
    from learnt.whole_file import write_whole

    text: Any
    if os.fspath(path).lower().endswith((".xml", ".xmlbif")):
        from learnt.graphical.network.xmlbif import xmlbif_text

        text = xmlbif_text(network)
    else:
        from learnt.graphical.network.bif import bif_text

        text = bif_text(network)
    write_whole(path, text, "The network")
