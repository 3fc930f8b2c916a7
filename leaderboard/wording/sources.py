"""The source of a quoted figure as a page shows it: the stored text in words, and its address where it names one."""

import re
from dataclasses import dataclass

# "github:OWNER/NAME PATH @ COMMIT (NOTE)", as the shipped tables write a file of a repository.
_ON_GITHUB = re.compile(
    r"github:(?P<repository>[\w.-]+/[\w.-]+) (?P<path>[\w./-]+) @ (?P<commit>[0-9a-f]{7,40})(?P<note> .*)?"
)
# Numbers of an index that only its owner can look up; what else stands in the brackets says something.
_INDEX_IDS = re.compile(r"file-index ids? \d+(?: and \d+)*(?:; )?")
_WHOLE_COMMIT = re.compile(r"\b([0-9a-f]{7})[0-9a-f]{33}\b")


@dataclass(frozen=True, slots=True)
class Source:
    """`words` are plain text of a stranger; `url` is "" where the source has no address."""

    words: str
    url: str = ""


def source_of(stored: str) -> Source:
    found = _ON_GITHUB.fullmatch(stored)
    if found is None:
        words = _INDEX_IDS.sub("", stored).replace(" ()", "").replace("github:", "GitHub, ")
        return Source(_WHOLE_COMMIT.sub(r"\1", words))
    repository, path, commit = found["repository"], found["path"], found["commit"]
    words = f"{path} in {repository} on GitHub, commit {commit}{found['note'] or ''}"
    return Source(_WHOLE_COMMIT.sub(r"\1", words), f"https://github.com/{repository}/blob/{commit}/{path}")
