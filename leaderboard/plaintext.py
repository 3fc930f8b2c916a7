"""Names as plain text, for places that hold no markup: titles of pages, badges, citations, snippets. Pure."""

from evaluation.signs import spelled

__all__ = ["spelled"]
