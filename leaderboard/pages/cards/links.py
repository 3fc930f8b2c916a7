"""Where the card of a page is; a page names it in its head."""

from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from leaderboard.drawings.card_words import Card


@dataclass(frozen=True, slots=True)
class CardLink:
    """What a page says of its card: the path of the picture and the same in words."""

    path: str
    alt: str


def link_to(card: Card, name: str, *args: object, **query: str) -> CardLink:
    """The picture behind the address of that name."""
    return CardLink(f"{reverse(name, args=args)}?{urlencode({**query, 'v': card.mark})}", card.alt)


def pair_link(card: Card | None, ranking: str, slugs: list[str]) -> CardLink | None:
    if card is None:
        return None
    query = [("ranking", ranking), *(("m", slug) for slug in slugs), ("v", card.mark)]
    return CardLink(f"{reverse('pair-card')}?{urlencode(query)}", card.alt)
