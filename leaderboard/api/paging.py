"""Pages of a list: bounded, and with the addresses of the pages beside them."""

from typing import Annotated, Any, TypeVar

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from ninja import Field, Query, Schema

M = TypeVar("M", bound=Model)
LARGEST_PAGE = 200
LARGEST_OFFSET = 1_000_000


class Slice(Schema):
    """Which part of a list is asked for. Beyond its bounds a value is refused with 422."""

    limit: Annotated[int, Field(ge=1, le=LARGEST_PAGE)] = 100
    offset: Annotated[int, Field(ge=0, le=LARGEST_OFFSET)] = 0


Asked = Query[Slice]


def page_fields(request: HttpRequest, asked: Slice, count: int) -> dict[str, Any]:
    """The fields of `schemas.Page` for a list of so many entries."""
    after, before = asked.offset + asked.limit, max(0, asked.offset - asked.limit)
    return {
        "count": count,
        "limit": asked.limit,
        "offset": asked.offset,
        "next": address(request, after) if after < count else None,
        "previous": address(request, before) if asked.offset > 0 else None,
    }


def address(request: HttpRequest, offset: int) -> str:
    """This list's address at another offset."""
    query = request.GET.copy()
    query["offset"] = str(offset)
    return request.build_absolute_uri(f"{request.path}?{query.urlencode()}")


def part(rows: QuerySet[M], asked: Slice) -> list[M]:
    return list(rows[asked.offset : asked.offset + asked.limit])
