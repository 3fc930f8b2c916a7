"""Links between the pages of a long table."""

from dataclasses import dataclass
from typing import Any

from django.core.paginator import Page


@dataclass(frozen=True, slots=True)
class PageLinks:
    """Where this page of the table stands among the others; None where there is no such page."""

    number: int
    last: int
    previous: int | None
    next: int | None


def page_links(page: Page[Any]) -> PageLinks:
    return PageLinks(
        number=page.number,
        last=page.paginator.num_pages,
        previous=page.previous_page_number() if page.has_previous() else None,
        next=page.next_page_number() if page.has_next() else None,
    )
