"""What the regular expressions of the readers may not hold: groups that old Pythons misread, and slow repetitions.

Linear time is proven from their structure. An unbounded repetition is possessive and of one character at a time, so it
is never gone through twice by backtracking. No match begins within such a repetition, so a search goes through each
stretch of text only as often as there are repetitions in the pattern.
"""

import ast
import importlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pytest

import evaluation.benchmarks
from evaluation.benchmarks.eqbench_mentions import _names, mentions
from evaluation.late import LatePattern
from tests.evaluation.benchmarks.standard import GERMAN_ITEM, ITEM

FOLDER = Path(evaluation.benchmarks.__file__).parent
SOURCES = sorted(FOLDER.rglob("*.py"))
# The end of a group and a possessive repetition of it, as it stands in a plain or in a formatted string.
REPEATED_GROUP = re.compile(r"\)(?:[?*+]|\{\{?[\d,]+\}\}?)\+")

parser = importlib.import_module("re._parser")
SEARCHING = {"search", "finditer", "findall", "split", "sub", "subn"}
MOST_REPEATS = 64
ALPHABET = [*map(chr, range(0x250)), *"\u2003\u2028\u200b０٣½–—‘’“”„：\U0001f600"]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(FOLDER)))
def test_no_group_of_several_signs_is_repeated_possessively(path: Path) -> None:
    """Before 3.11.5 the half of a group that matched stays matched (CPython issue 106052): a comma behind a number was
    taken for a decimal one, and the reader failed at `3, `. The one group allowed has one sign in each branch.
    """
    found = [line for line in path.read_text(encoding="utf-8").splitlines() if REPEATED_GROUP.search(line)]
    assert [line for line in found if not line.startswith("_WRAP = ")] == []


@pytest.mark.parametrize(
    "text", ['{"Angry": 3, "Hopeful": 6}', "Angry: 3, Hopeful: 6", "Angry (a note, Angry: 3, Hopeful: 6"]
)
def test_what_was_begun_and_not_ended_behind_a_number_is_left_alone(text: str) -> None:
    found = [(each.label, each.rating.value) for each in mentions(text, ("Angry", "Hopeful")) if each.rating]
    assert found == [("Angry", 3.0), ("Hopeful", 6.0)]


def patterns_in(value: object, name: str) -> Iterator[tuple[str, "re.Pattern[str]"]]:
    """(name of the variable or the field, pattern) of a module's value."""
    value = value.compile_it() if isinstance(value, LatePattern) else value
    if isinstance(value, re.Pattern):
        yield name, value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from patterns_in(each, name)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from patterns_in(each, name)
    elif is_dataclass(value) and not isinstance(value, type):
        for each in fields(value):
            yield from patterns_in(getattr(value, each.name), each.name)


def only_matched(source: str) -> set[str]:
    """The names that a module uses as `name.match(...)` alone: such a pattern does not look for its beginning."""
    used: dict[str, set[str]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute):
            owner = node.value.value if isinstance(node.value, ast.Subscript) else node.value
            used.setdefault(getattr(owner, "id", getattr(owner, "attr", "")), set()).add(node.attr)
    return {name for name, methods in used.items() if "match" in methods and not methods & SEARCHING}


def all_patterns() -> dict[str, tuple["re.Pattern[str]", bool]]:
    """Name -> (pattern, whether it is searched for), of all modules of the benchmarks."""
    found = {f"names of {item.labels[0]}": (_names(item.labels)[0], True) for item in (ITEM, GERMAN_ITEM)}
    for path in SOURCES:
        inner = [part for part in path.relative_to(FOLDER).with_suffix("").parts if part != "__init__"]
        content = vars(importlib.import_module(".".join(["evaluation.benchmarks", *inner])))
        matched = only_matched(path.read_text(encoding="utf-8"))
        for variable, value in content.items():
            for number, (name, pattern) in enumerate(patterns_in(value, variable)):
                found[f"{'.'.join(inner)}.{variable}.{name}.{number}"] = (pattern, name not in matched)
    return found


def operations(tree: Any) -> Iterator[tuple[str, Any]]:
    """Each (name of an operation, its argument) in a parsed pattern, the inner ones too."""
    for operation, argument in tree:
        yield str(operation), argument
        for inner in subtrees(str(operation), argument):
            yield from operations(inner)


def subtrees(operation: str, argument: Any) -> list[Any]:
    if operation.endswith("_REPEAT"):
        return [argument[2]]
    if operation == "BRANCH":
        return list(argument[1])
    if operation in {"SUBPATTERN", "ASSERT", "ASSERT_NOT"}:
        return [argument[-1]]
    return [argument] if operation == "ATOMIC_GROUP" else []


def beginnings(tree: Any) -> list[Any]:
    """The single-character parts with which a match of a parsed pattern can begin."""
    found: list[Any] = []
    for operation, argument in tree:
        inner = subtrees(str(operation), argument)
        if str(operation) in {"AT", "ASSERT", "ASSERT_NOT"}:
            continue
        found += [each for one in inner for each in beginnings(one)] if inner else [(operation, argument)]
        least = (
            argument[0] if str(operation).endswith("_REPEAT") else min((one.getwidth()[0] for one in inner), default=1)
        )
        if least:
            break
    return found


def admits(part: tuple[Any, Any], sign: str) -> bool:
    """Whether a single-character part of a parsed pattern matches that character."""
    operation, argument = str(part[0]), part[1]
    if operation == "LITERAL":
        return bool(ord(sign) == argument)
    if operation == "NOT_LITERAL":
        return bool(ord(sign) != argument)
    if operation == "RANGE":
        return bool(argument[0] <= ord(sign) <= argument[1])
    if operation == "CATEGORY":
        kind = str(argument).removeprefix("CATEGORY_")
        holds = {"DIGIT": sign.isdecimal(), "SPACE": sign.isspace(), "WORD": sign.isalnum() or sign == "_"}
        return holds[kind.removeprefix("NOT_")] != kind.startswith("NOT_")
    if operation == "IN":
        negated = str(argument[0][0]) == "NEGATE"
        return any(admits(each, sign) for each in argument[negated:]) != negated
    return True  # ANY, and whatever is not known here: on the side of a complaint


def signs_of(parts: list[Any], *, any_case: bool) -> set[str]:
    found = {sign for sign in ALPHABET if any(admits(part, sign) for part in parts)}
    return {other for sign in found for other in (sign, sign.lower(), sign.upper())} if any_case else found


def complaints(pattern: "re.Pattern[str]", *, searched: bool) -> list[str]:
    """Why a pattern may take more than linear time; empty where its structure excludes that."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE)
    any_case = bool(pattern.flags & re.IGNORECASE)
    first = signs_of(beginnings(tree), any_case=any_case)
    found = []
    for operation, argument in operations(tree):
        if not operation.endswith("_REPEAT"):
            continue
        _, most, inner = argument
        if most <= MOST_REPEATS and (most == 1 or inner.getwidth() == (1, 1)):
            continue
        if operation != "POSSESSIVE_REPEAT" or inner.getwidth() != (1, 1):
            found.append(f"{operation} of {inner} is unbounded and can be gone through again")
        elif searched and first & signs_of(beginnings(inner), any_case=any_case):
            found.append(f"a search begins anew at each character of the unbounded {inner}")
    return found


PATTERNS = all_patterns()


@pytest.mark.parametrize(("pattern", "searched"), PATTERNS.values(), ids=PATTERNS)
def test_every_pattern_is_linear_by_its_structure(pattern: "re.Pattern[str]", searched: bool) -> None:
    assert complaints(pattern, searched=searched) == []


def test_the_patterns_of_both_readers_and_of_thinking_are_among_them() -> None:
    assert len(PATTERNS) >= 20
    for name in (
        "names of Angry",
        "official._PAIRS.number",
        "official._PAIRS.name",
        "values._NUMBER",
        "thinking_marks._TAG",
    ):
        assert any(name in each for each in PATTERNS)


@pytest.mark.parametrize(
    "written",
    [r"\w+:", r"\w++:", r"(?:ab)*c", r"(?:a+)+b", r":\s+\d", r"(?i)x?A++b", r"\s*$", r"(?:a|b){0,200}c", r".*+x"],
)
def test_a_slow_pattern_is_complained_about(written: str) -> None:
    assert complaints(re.compile(written), searched=True)


@pytest.mark.parametrize("written", [r":\s++(\d++)", r"(?:,\d++)?", r"[<(]?\w{0,40}+:", r"revised\s{1,4}+scores?\b"])
def test_a_linear_pattern_is_not(written: str) -> None:
    assert complaints(re.compile(written), searched=True) == []
