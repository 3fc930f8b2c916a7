"""Item banks: what is known of them, never their texts."""

from typing import Any

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import Router

from evaluation.disclosure import month_of
from evaluation.models import ItemBank
from leaderboard.api.paging import Asked, page_fields, part
from leaderboard.api.schemas import BankOut, BankPage
from leaderboard.pages.api.public_rows import banks

router = Router(tags=["Item banks"])


@router.get("/banks", response=BankPage, summary="All item banks")
def list_banks(request: HttpRequest, asked: Asked) -> dict[str, Any]:
    rows = banks()
    return {
        **page_fields(request, asked, rows.count()),
        "results": [bank_fields(bank) for bank in part(rows, asked)],
    }


@router.get("/banks/{slug}", response=BankOut, summary="One item bank")
def get_bank(request: HttpRequest, slug: str) -> dict[str, Any]:
    return bank_fields(get_object_or_404(banks(), slug=slug.replace("\0", "")))


def bank_fields(bank: ItemBank) -> dict[str, Any]:
    return {
        **vars(bank),
        **({} if bank.shows_items else closed_fields(bank)),
        "texts_public": bank.shows_texts,
    }


def closed_fields(bank: ItemBank) -> dict[str, Any]:
    """What stands in these fields where nothing per item is public."""
    return {"source": "", "sha256": "", "version": "", "loaded_at": month_of(bank.loaded_at)}
