"""The families of models by their names: our own grouping, for items that treat one family unlike the rest. Pure.

A model belongs to the first family one of whose marks stands in its name. Merges and fine-tunes go with the base model
that their name gives away; a model whose name gives none away stands in no family, and nothing is tested for it.
"""

from collections.abc import Mapping, Sequence

FAMILY_MARKS: Mapping[str, tuple[str, ...]] = {
    "GPT": ("gpt-3", "gpt-4", "gpt-5", "text-davinci", "o1-", "o3-"),
    "Claude": ("claude",),
    "Gemini and Gemma": ("gemini", "gemma", "palm"),
    "Mistral": ("mistral", "mixtral", "miqu", "zephyr", "openhermes", "openchat", "starling", "beagle", "marcoroni",
                "neural-chat", "beyonder", "command-ministral"),
    "Qwen": ("qwen", "quyen"),
    "Yi": ("yi-", "-yi", "capybara-34b", "bagel-34b", "34bx2"),
    "Llama": ("llama", "vicuna", "koala", "wizardlm", "guanaco", "alpaca", "tulu", "synthia-70b", "orca-2",
              "dolphin-2.2-70b", "xl-", "goliath", "megadolphin"),
    "SOLAR": ("solar", "lmcocktail", "meow"),
    "Phi": ("phi-", "phixtral"),
    "DeepSeek": ("deepseek",),
    "Falcon": ("falcon",),
    "Command": ("command-r",),
}  # fmt: skip


def family_of(name: str) -> str:
    """The family of a model's full name; "" for none."""
    folded = name.casefold()
    return next((family for family, marks in FAMILY_MARKS.items() if any(mark in folded for mark in marks)), "")


def large_families(names: Sequence[str], *, least: int) -> list[str]:
    """The families with at least so many of the models, and as many outside, the largest first."""
    families = [family_of(name) for name in names]
    counts = {family: families.count(family) for family in dict.fromkeys(families) if family}
    large = [family for family, n in counts.items() if least <= n <= len(names) - least]
    return sorted(large, key=lambda family: (-counts[family], family))
