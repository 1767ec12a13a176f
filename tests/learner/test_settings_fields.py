"""Settings declared as fields: one line makes the argument, the attribute, the domain and the row of the table."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys
from typing import Any

import pytest

from learnt import clone
from learnt.errors import ParameterError
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Flag, OneOf, Real, Seed, Whole
from learnt.learner.settings import Settings

SEED = setting(Seed(), "seed of all draws", default=0)


class Kernel(Settings):
    """A kernel.

    >>> Kernel()
    Kernel()

    {settings}

    Reference: none.
    """

    width: float = setting(Real(above=0), "how far it reaches: |x| < width", default=1.0, kw_only=False)
    shape: str = setting(OneOf("round", "flat"), "its shape", default="round")
    random_state: Any = SEED

    mass_: float = attribute()


class WideKernel(Kernel):
    """A kernel that reaches farther."""

    width: float = setting(default=9.0, kw_only=False)
    steps: int | None = setting(OneOf(None) | Whole(1, 9), "how many", default=None, before="random_state")


class Named(Settings):
    """Something with a name that must be given."""

    name: str = setting(OneOf("a", "b"), "its name", kw_only=False)
    loud: bool = setting(Flag(), "whether it shouts", default=False)


class ByHand(Settings):
    domains = {"depth": Whole(1)}

    def __init__(self, depth=3):
        self.depth = depth


def test_the_constructor_has_the_signature_that_the_fields_say() -> None:
    def written(self, width: float = 1.0, *, shape: str = "round", random_state: Any = 0): ...

    assert inspect.signature(Kernel.__init__) == inspect.signature(written)
    assert list(inspect.signature(Kernel).parameters) == ["width", "shape", "random_state"]
    assert Kernel.__init__.__qualname__ == "Kernel.__init__"
    assert Kernel.__init__.__module__ == __name__


def test_the_constructor_only_stores() -> None:
    width, shape = object(), object()
    kernel = Kernel(width, shape=shape)
    assert vars(kernel) == {"width": width, "shape": shape, "random_state": 0}
    assert kernel.get_params() == vars(kernel)
    with pytest.raises(TypeError, match="positional"):
        Kernel(1.0, "round")
    with pytest.raises(TypeError, match="widht"):
        Kernel(widht=1.0)


def test_a_setting_without_a_default_must_be_given() -> None:
    assert (Named("a").name, Named(name="b", loud=True).loud) == ("a", True)
    with pytest.raises(TypeError, match="name"):
        Named()


def test_neither_settings_nor_attributes_are_attributes_of_the_class() -> None:
    for name in ("width", "shape", "random_state", "mass_"):
        assert not hasattr(Kernel, name)
    assert "mass_" in inspect.get_annotations(Kernel)


def test_domains_come_from_the_fields() -> None:
    assert {name: domain.words for name, domain in Kernel.domains.items()} == {
        "width": "a number > 0",
        "shape": "one of 'round', 'flat'",
        "random_state": Seed.words,
    }
    Kernel(2)._check_parameters()
    with pytest.raises(ParameterError, match=r"Kernel: shape='oval' is not allowed. Expected one of 'round', 'flat'"):
        Kernel(shape="oval")._check_parameters()


def test_the_docstring_has_the_table_in_the_place_of_the_marker() -> None:
    assert inspect.getdoc(Kernel).splitlines()[3:] == [
        "Kernel()",
        "",
        "| setting | default | meaning | range |",
        "|---|---|---|---|",
        r"| `width` | 1.0 | how far it reaches: \|x\| < width | > 0 |",
        '| `shape` | "round" | its shape |  |',
        "| `random_state` | 0 | seed of all draws |  |",
        "",
        "Reference: none.",
    ]


def test_without_a_marker_the_table_stands_at_the_end_and_has_a_range_only_where_one_is_known() -> None:
    assert inspect.getdoc(Named).splitlines() == [
        "Something with a name that must be given.",
        "",
        "| setting | default | meaning |",
        "|---|---|---|",
        "| `name` |  | its name |",
        "| `loud` | False | whether it shouts |",
    ]


def test_a_class_without_settings_of_its_own_keeps_its_docstring() -> None:
    class Same(Kernel):
        """The same. Settings as of `Kernel`."""

    class Undocumented(Kernel):
        shape: str = setting(default="flat")

    assert Same.__doc__ == "The same. Settings as of `Kernel`."
    assert Same.__init__ is Kernel.__init__
    assert Undocumented.__dict__["__doc__"] is None
    assert Undocumented().shape == "flat"


def test_a_subclass_inherits_settings_changes_defaults_and_adds_its_own() -> None:
    assert list(inspect.signature(WideKernel).parameters) == ["width", "shape", "steps", "random_state"]
    assert vars(WideKernel()) == {"width": 9.0, "shape": "round", "steps": None, "random_state": 0}
    assert WideKernel.domains["width"] is Kernel.domains["width"]
    assert r"| `width` | 9.0 | how far it reaches: \|x\| < width | > 0 |" in WideKernel.__doc__
    assert "| `steps` | None | how many | 1 to 9 |" in WideKernel.__doc__
    assert (Kernel().width, list(Kernel.domains)) == (1.0, ["width", "shape", "random_state"])


def test_a_setting_declared_again_moves_where_it_is_to_stand() -> None:
    class Turned(WideKernel):
        steps: int | None = setting(before="shape")

    assert list(inspect.signature(Turned).parameters) == ["width", "steps", "shape", "random_state"]
    assert Turned().steps is None
    assert Turned.domains["steps"] is WideKernel.domains["steps"]


def test_settings_of_two_bases_are_joined() -> None:
    class Drawn(Settings):
        random_state: Any = SEED
        loud: bool = setting(Flag(), "whether it shouts", default=False)

    class Both(Drawn, Kernel):
        pass

    assert list(inspect.signature(Both).parameters) == ["width", "shape", "random_state", "loud"]
    assert set(Both.domains) == {"width", "shape", "random_state", "loud"}


def test_they_are_copied_pickled_and_shown_as_others_are() -> None:
    kernel = WideKernel(2.0, steps=3)
    assert repr(kernel) == "WideKernel(width=2.0, steps=3)"
    assert vars(clone(kernel)) == vars(pickle.loads(pickle.dumps(kernel))) == vars(kernel)


def test_a_constructor_written_by_hand_stays() -> None:
    class Deeper(ByHand):
        pass

    assert (ByHand().depth, Deeper(4).depth, list(Deeper.domains)) == (3, 4, ["depth"])
    with pytest.raises(TypeError, match="Mixed declares settings, but inherits a constructor written by hand"):

        class Mixed(ByHand):
            loud: bool = setting(Flag(), "whether it shouts", default=False)


def test_mistakes_in_a_declaration_are_told() -> None:
    with pytest.raises(TypeError, match=r"Untyped.loud is a setting without a type"):

        class Untyped(Settings):
            loud = setting(Flag(), "whether it shouts", default=False)

    with pytest.raises(TypeError, match=r"Lost.loud is to stand before 'quiet', which is not an inherited setting"):

        class Lost(Settings):
            loud: bool = setting(Flag(), "whether it shouts", default=False, before="quiet")


@pytest.mark.parametrize(
    ("domain", "bounds"),
    [
        (Whole(1), "≥ 1"),
        (Whole(2, 255), "2 to 255"),
        (Real(above=0), "> 0"),
        (Real(above=0, high=1), "(0, 1]"),
        (Real(0, below=1), "[0, 1)"),
        (Real(), ""),
        (OneOf(None) | Whole(1) | Real(above=0, below=1), "≥ 1, or (0, 1)"),
        (OneOf("auto") | Flag(), ""),
    ],
)
def test_a_range_of_numbers_is_shown_in_few_signs(domain: Any, bounds: str) -> None:
    assert domain.bounds == bounds


@pytest.mark.slow
def test_a_type_checker_knows_the_constructor(tmp_path: Any) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(
        """
from learnt.learner.fields import attribute, setting
from learnt.learner.parameters import Real, Whole
from learnt.learner.settings import Settings

class Kernel(Settings):
    width: float = setting(Real(0), "width", default=1.0, kw_only=False)
    steps: int = setting(Whole(0), "steps")
    mass_: float = attribute()

reveal_type(Kernel.__init__)
Kernel(2.0, steps="many")
""",
        "utf-8",
    )
    # What is imported is not looked into: only how the fields are read matters here.
    said = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", str(tmp_path / "cache"), "use.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    ).stdout
    assert "def (self: use.Kernel, width: float =, *, steps: int)" in said.replace("builtins.", "")
    assert 'Argument "steps" to "Kernel" has incompatible type "str"; expected "int"' in said
