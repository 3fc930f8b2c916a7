"""Every address that a visitor can reach: from the routes with all values that their parameters may have, and links."""

import io
import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import pyarrow.parquet as pq  # type: ignore[import-untyped]
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

PARAMETER = re.compile(r"<(?:(\w+):)?(\w+)>")
LINK = re.compile(r"""(?:href|src|hx-get|data-src|action)=["']([/?][^"'#]*)""")
MOST_VARIANTS = 5

Values = Callable[[str, int], Sequence[str]]


def patterns(entries: Sequence[URLPattern | URLResolver], before: str = "") -> Iterator[str]:
    """The route of every page, "runs/<int:pk>/" and the like; the administration asks for a login and is left out."""
    for entry in entries:
        route = before + str(entry.pattern).removeprefix("^").removesuffix(r"\Z").removesuffix("$")
        if isinstance(entry, URLResolver):
            yield from () if entry.namespace == "admin" else patterns(entry.url_patterns, route)
        else:
            yield route


def addresses(route: str, values_of: Values) -> Iterator[str]:
    """The route with every combination of values in its parameters. `values_of` gets the kind of a parameter, "int" or
    another, and how many parameters the route has."""
    parameters = PARAMETER.findall(route)
    choices = [values_of(converter, len(parameters)) for converter, _ in parameters]
    for values in itertools.product(*choices):
        filled = iter(values)
        yield "/" + PARAMETER.sub(lambda _, filled=filled: next(filled), route)  # type: ignore[misc]


def text_of(response: Any) -> str:
    """What a reader of the response has before them; a Parquet file is unpacked first."""
    content = b"".join(response.streaming_content) if response.streaming else response.content
    if content.startswith(b"PAR1"):
        table = pq.read_table(io.BytesIO(content))
        return f"{table.to_pylist()} {table.schema.metadata}"
    return content.decode("utf-8", "replace") + " ".join(map(str, response.headers.items()))


def crawl(client: Client, values_of: Values, under: str = "/", refused: dict[str, str] | None = None) -> dict[str, str]:
    """Address -> text of every page that the routes or a link on another page lead to; "" where there is none.

    Of the links to one page that differ in their query alone, the first few are followed. `under` narrows the search.
    Answers that are no page, such as redirects and those of 404, are put into `refused`.
    """
    routes = patterns(get_resolver().url_patterns)
    return follow(client, [address for route in routes for address in addresses(route, values_of)], under, refused)


def follow(
    client: Client, start: Iterable[str], under: str = "/", refused: dict[str, str] | None = None
) -> dict[str, str]:
    """The same from these addresses on. The administration is left out, unless it is what is searched."""
    waiting = list(start)
    seen: dict[str, str] = {}
    variants: Counter[str] = Counter()
    while waiting:
        address = waiting.pop()
        path = address.partition("?")[0]
        is_left_out = path.startswith("/admin/") and not under.startswith("/admin/")
        outside = path.startswith("/static/") or is_left_out or not path.startswith(under)
        if address in seen or outside or variants[path] >= MOST_VARIANTS:
            continue
        variants[path] += 1
        response = client.get(address)
        text = text_of(response)
        seen[address] = text if response.status_code == 200 else ""
        if refused is not None and not seen[address]:
            refused[address] = text
        links = (link.replace("&amp;", "&") for link in LINK.findall(seen[address]))
        waiting += [f"{path}{link}" if link.startswith("?") else link for link in links]
    return seen
