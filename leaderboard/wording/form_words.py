"""What the form says of a field that is wrong, and of keys wherever one is asked for or was stored. Pure."""

from leaderboard.rounding import count

CODES = (
    "required", "invalid", "invalid_choice", "invalid_list", "invalid_pk_value", "min_value", "max_value",
)  # fmt: skip
BROKEN = "The text contains a null character (code 0). Type it again."
KEY_USE = (
    "Encrypted before it is stored, used only to call your endpoint, never shown. The operator of this site could "
    "decrypt it until it is erased"
)


def says(sentence: str, *, most: int = 0) -> dict[str, str]:
    """A field's messages: the sentence, which tells what to do, for all that Django can find wrong with its value.

    Args:
        most: How many characters the field takes; 0 where that is not bounded.
    """
    too_long = {"max_length": f"Shorten this to at most {count(most)} characters."} if most else {}
    return dict.fromkeys(CODES, sentence) | {"null_characters_not_allowed": BROKEN} | too_long
