"""BIF and XMLBIF: read back to the bit, and hostile files refused in one line."""
# ruff: noqa: E501  (a hostile file is one line)

import pytest
from tests.graphical.random_networks import random_network

from learnt.errors import FileError
from learnt.graphical import BayesianNetwork, read_bif
from learnt.graphical.network.bif import bif_text
from learnt.graphical.network.files import network_of
from learnt.graphical.network.xmlbif import xmlbif_text

DOGS = b"""
network "Dog-Problem" { property credal-set constant-density-bounded 1.1; }
// a comment
variable "light-on" { type discrete [ 2 ] { true, false }; property position = (218, 195); }
variable bowel { type discrete[2] { true false }; }
variable "family out" { type discrete[ 2 ] { "true", "false" }; }
variable dog-out { type discrete[2] { true, false }; }
probability ( "light-on" | "family out" ) { table 0.6 0.05 0.4 0.95; } /* the child's states run slowest */
probability ( bowel ) { table 0.01 0.99; }
probability ( "family out" ) { table 0.15, 0.85; }
probability ( dog-out | bowel, "family out" ) {
  (true, true) 0.99, 0.01;
  (true, false) 0.97 0.03;
  default 0.3 0.7;
}
"""


def test_a_file_of_the_field_is_read():
    network = network_of(DOGS)
    assert network.structure == {
        "light-on": ["family out"],
        "bowel": [],
        "family out": [],
        "dog-out": ["bowel", "family out"],
    }
    assert network.table("light-on")["false", "true"] == 0.05
    assert network.table("dog-out")["true", "false", "true"] == 0.97
    assert network.table("dog-out")["false", "true", "false"] == 0.7


@pytest.mark.parametrize("name", ["network.bif", "network.xmlbif"])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_written_is_read_back_to_the_bit(tmp_path, seed, name):
    network = random_network(seed)
    network.add("odd name, <&>", states=["a b", "c|d"], table=[0.1 + 0.2, 0.7 - 1e-17])
    network.write_bif(tmp_path / name)
    again = read_bif(tmp_path / name)
    assert again.structure == network.structure
    for variable in network.variables:
        assert again.states(variable) == network.states(variable)
        assert (again.table(variable).values == network.table(variable).values).all()


def test_xmlbif_has_the_child_fastest():
    text = xmlbif_text(
        BayesianNetwork().add("a", table={"x": 0.25, "y": 0.75}).add("b", ["a"], [[1, 0], [0.5, 0.5]], ["u", "v"])
    )
    assert "<FOR>b</FOR><GIVEN>a</GIVEN><TABLE>1.0 0.0 0.5 0.5</TABLE>" in text
    old = text.replace("<BIF", "<!DOCTYPE BIF [ <!ELEMENT BIF ( NETWORK )*> ]>\n<BIF", 1)
    assert network_of(old.encode()).table("b")["y", "v"] == 0.5


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "declares no variable"),
        (b"hello", "'hello' stands where 'network', 'variable' or 'probability' must: this is not a BIF file. (file 'f', line 1)"),
        (b"\x00\x01", "zero bytes"),
        (b"variable a { type discrete [ 1000000 ] { x }; }", "has 1,000,000 states. At most 10,000 are read"),
        (b"variable a { type discrete [ 99999999999999 ] { x }; }", "where the number of states must"),
        (b"variable a { type discrete [ 2 ] { x }; }", "says it has 2 states and names 1"),
        (b"variable a { type continuous; }", "Expected a discrete one"),
        (b"variable a { }", "has no states"),
        (b"variable a { type discrete [ 1 ] { x }; }", "'a' has no table: the file is cut off"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.5, 0.4; }", "add up to 0.9"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.5; }", "has 1 numbers. Expected 2"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table 0.5 oops; }", "'oops' stands where a probability must"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( a ) { table -1 2; }", "'-1' stands where"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( b ) { table 1; }", "'b', which is not a variable"),
        (b"variable a { type discrete [ 2 ] { x, y }; } probability ( a | a ) { (x) 1 0; (y) 0 1; }", "form a cycle"),
        (b"variable a { type discrete [ 2 ] { x, x }; } probability ( a ) { table 1 0; }", "the state 'x' twice"),
        (b"variable a { type discrete [ 1 ] { x }; } variable a { type discrete [ 1 ] { x }; }", "declared twice"),
        (b"variable a {" * 50, "it is cut off"),
        (b"<foo/>", "first element is 'foo'"),
        (b"<BIF><NETWORK>", "not whole XML"),
        (b'<?xml version="1.0" encoding="trueUTF-8"?><BIF/>', "Its encoding cannot be read: unknown encoding"),
        (b'<!DOCTYPE BIF [ <!ENTITY a "aaaa"> ]><BIF>&a;</BIF>', "declares an entity"),
        (b'<!DOCTYPE BIF [ <!ENTITY a SYSTEM "file:///etc/passwd"> ]><BIF>&a;</BIF>', "declares an entity"),
        (b"<BIF>" + b"<a>" * 100, "nested more than"),
        (b"<BIF><VARIABLE><NAME>a</NAME>" + b"<OUTCOME>x</OUTCOME>" * 10_001 + b"</VARIABLE></BIF>", "has 10,001 states"),
        (b"<BIF><DEFINITION><FOR>a</FOR></DEFINITION></BIF>", "0 TABLE where one must stand"),
        (b'<BIF><VARIABLE TYPE="decision"><NAME>a</NAME></VARIABLE></BIF>', "type 'decision'"),
    ],
)  # fmt: skip
def test_hostile_files_are_refused_in_one_line(content, words):
    with pytest.raises(FileError) as caught:
        network_of(content, "f")
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_files_cut_off_anywhere_are_refused():
    for text in (DOGS, xmlbif_text(network_of(DOGS)).encode(), bif_text(network_of(DOGS)).encode()):
        whole = len(text.rstrip())
        for end in range(0, whole - 1, 7):
            with pytest.raises(FileError):
                network_of(text[:end], "f")


def test_large_tables_are_refused_before_they_are_made():
    states = ", ".join(f"s{i}" for i in range(2000))
    parts = [f"variable v{i} {{ type discrete [ 2000 ] {{ {states} }}; }}" for i in range(4)]
    text = "\n".join(
        [
            *parts,
            *(f"probability ( v{i} ) {{ default 1; }}" for i in range(3)),
            "probability ( v3 | v0, v1, v2 ) { default 1; }",
        ]
    )
    with pytest.raises(FileError, match=r"At most|numbers"):
        network_of(text.encode(), "f")


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(FileError, match="cannot be read"):
        read_bif(tmp_path / "nothing.bif")
