"""The dialogue within the prompt of an item. Pure."""

END_OF_DIALOGUE = "["  # a line that opens with it ends the dialogue: "[End dialogue]" in English


def dialogue_of(prompt: str) -> str:
    """What is said, without the instruction before it and the questions after it; all where there is no such frame."""
    _, _, rest = prompt.strip().partition("\n\n")
    lines = rest.split("\n")
    end = next((at for at, line in enumerate(lines) if line.startswith(END_OF_DIALOGUE)), None)
    return prompt.strip() if end is None else "\n".join(lines[:end]).strip()
