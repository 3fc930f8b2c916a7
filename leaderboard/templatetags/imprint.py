"""Who answers for this board and where its code stands, for every page, the one of a fault among them."""

from dataclasses import dataclass

from django import template
from django.conf import settings

register = template.Library()


@dataclass(frozen=True, slots=True)
class Imprint:
    """Addresses to link to, "" where none is set; `contact_words` is how a page writes the contact."""

    contact: str
    contact_words: str
    source: str


@register.simple_tag
def imprint() -> Imprint:
    contact: str = settings.CONTACT
    return Imprint(contact, contact.removeprefix("mailto:"), settings.SOURCE_URL)
