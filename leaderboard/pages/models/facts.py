"""What is known of a model before any run."""

from dataclasses import dataclass
from datetime import date

from evaluation.models import LanguageModel
from leaderboard import rounding
from leaderboard.plaintext import spelled


@dataclass(frozen=True, slots=True)
class Facts:
    """A model in words; "" where something is not known. `link` is an address that may be shown as one."""

    name: str
    full_name: str
    organisation: str
    weights: str
    size: str
    licence: str
    released: str
    link: str


def facts_of(model: LanguageModel) -> Facts:
    size = model.params_billion
    return Facts(
        name=spelled(str(model)),
        full_name="" if model.name == str(model) else model.name,
        organisation=model.organisation,
        weights={True: "open", False: "closed", None: ""}[model.open_weights],
        size=size_words(model.params, size),
        licence=model.licence,
        released=release_words(model.released_on, month_only=model.released_month_only),
        link=model.link if model.link.startswith(("https://", "http://")) else "",
    )


def size_words(params: str, billion: float | None) -> str:
    """ "8x7B, 46.7 billion": as published, and in figures where that says more."""
    figure = f"{rounding.size(billion)} billion" if billion else ""
    return ", ".join(
        text for text in (params if params.rstrip("bB ") != rounding.size(billion) else "", figure) if text
    )


def release_words(released_on: date | None, *, month_only: bool) -> str:
    if released_on is None:
        return ""
    text = rounding.day(released_on)
    return text.partition(" ")[2] if month_only else text
