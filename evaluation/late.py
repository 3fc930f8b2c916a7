"""Regular expressions that are compiled when they are first used. A command imports the readers of all benchmarks and
uses those of one; compiling the others took a twentieth of its time.
"""

import re
from collections.abc import Callable
from typing import Any, cast


class LatePattern:
    """Stands for a pattern: what is first asked of it compiles it."""

    def __init__(self, compile_it: Callable[[], "re.Pattern[str]"]) -> None:
        self.compile_it = compile_it

    def __getattr__(self, name: str) -> Any:
        compiled = self.compile_it()
        for each in ("pattern", "flags", "search", "match", "fullmatch", "finditer", "findall", "sub", "split"):
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)


def late(pattern: str | Callable[[], str], flags: int = 0) -> "re.Pattern[str]":
    """`re.compile`, put off. The pattern may be a function, where putting it together takes time as well."""
    text = pattern if callable(pattern) else lambda: pattern
    return cast("re.Pattern[str]", LatePattern(lambda: re.compile(text(), flags)))
