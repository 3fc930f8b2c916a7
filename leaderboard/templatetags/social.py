"""What a page says of itself, once for the browser and once for services that show a card of it."""

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.simple_block_tag
def page_title(content: str) -> SafeString:
    """The block's text, escaped as it is, as title and as og:title."""
    return format_html('<title>{0}</title>\n  <meta property="og:title" content="{0}">', in_attribute(content))


@register.simple_block_tag
def page_description(content: str) -> SafeString:
    return format_html(
        '<meta name="description" content="{0}">\n  <meta property="og:description" content="{0}">',
        in_attribute(content),
    )


def in_attribute(content: str) -> SafeString:
    """Rendered text, whose values are escaped already, with the quotes of the template's own words escaped too."""
    return mark_safe(content.strip().replace('"', "&quot;"))  # noqa: S308
