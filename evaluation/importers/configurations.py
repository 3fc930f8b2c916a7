"""A model in another configuration is a row of its own, named "maker/model@configuration".

Reasoning effort, thinking on or off and quantisation change scores by more than most models differ, so runs of two
configurations must never be averaged. The configuration is a part of the name, which keeps files, addresses and
replicates apart with no further rule.
"""

import re

SEPARATOR = "@"
LENGTH = 40
_CONFIGURATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]*")


def checked_configuration(text: str) -> str:
    """The configuration as it is written in a name: blanks and commas become hyphens; "" for none.

    Raises:
        ValueError: with a sentence, for other signs, and for more than 40 characters.
    """
    found = re.sub(r"[\s,;/]+", "-", text.strip())
    if len(found) > LENGTH:
        raise ValueError(f"The configuration is longer than {LENGTH} characters.")
    if found and not _CONFIGURATION.fullmatch(found):
        raise ValueError("Write the configuration with Latin letters, digits and the signs . _ - + = only.")
    return found


def configured(name: str, configuration: str) -> str:
    """The name of the row, from the model's own name and its configuration.

    Raises:
        ValueError: with a sentence, as `checked_configuration`, and for a second configuration beside one in the name.
    """
    found = checked_configuration(configuration)
    if not found:
        return name
    if SEPARATOR in name:
        raise ValueError(f"The name {name} ends with a configuration already. Leave one of the two out.")
    return f"{name}{SEPARATOR}{found}"


def split_name(name: str) -> tuple[str, str]:
    """The model's own name and its configuration, "" where it has none."""
    own, _, configuration = name.partition(SEPARATOR)
    return own, configuration
