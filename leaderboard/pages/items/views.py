"""The items of a bank, and one item over all models."""

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from evaluation.models import Access, ItemBank
from leaderboard.kinds import banks_without_items
from leaderboard.pages.items.bank_figures import fullest_bank
from leaderboard.pages.items.bank_file import shipped_file
from leaderboard.pages.items.bank_items import items_page
from leaderboard.pages.items.profile import item_page
from leaderboard.pages.items.replies import replies_page
from leaderboard.pages.rankings.directory import figures_stamp
from leaderboard.pages.shared.warm import warm


def banks_with_items() -> "QuerySet[ItemBank]":
    """The banks whose items have pages."""
    shown = ItemBank.objects.exclude(access=Access.PRIVATE)
    return shown.exclude(benchmark__in=banks_without_items())


@require_safe
def items(request: HttpRequest, bank: str | None = None) -> HttpResponse:
    """The items of the bank named, or of the one that most models answered."""
    return warm(request, figures_stamp(), lambda: items_response(request, bank))


def items_response(request: HttpRequest, bank: str | None) -> HttpResponse:
    banks = list(banks_with_items().order_by("title"))
    if not banks and bank is None:
        return render(request, "pages/items/items.html", {"page": None})
    slug = bank or fullest_bank(banks).slug
    chosen = next((each for each in banks if each.slug == slug), None)
    if chosen is None:
        raise Http404("no such bank")
    page = items_page(chosen, banks, request.GET.get("sort", ""))
    return render(request, "pages/items/items.html", {"page": page, "has_file": shipped_file(chosen) is not None})


@conditional_page
@require_safe
def bank_file(request: HttpRequest, bank: str) -> HttpResponse:
    """The questions of a bank of our own, byte for byte as its hash has them."""
    chosen = get_object_or_404(ItemBank, slug=bank)
    file = shipped_file(chosen)
    if file is None:
        raise Http404("not ours to hand out")
    headers = {"Content-Disposition": f'attachment; filename="{file.name}"'}
    return HttpResponse(file.read_bytes(), content_type="application/json", headers=headers)


@require_safe
def item(request: HttpRequest, bank: str, item_id: str) -> HttpResponse:
    """One item over all models."""

    def make() -> HttpResponse:
        chosen = banks_with_items().filter(slug=bank).first()
        page = item_page(chosen, item_id) if chosen else None
        if page is None:
            raise Http404("no such item")
        return render(request, "pages/items/item.html", {"page": page})

    return warm(request, figures_stamp(), make)


@require_safe
def item_replies(request: HttpRequest, bank: str, item_id: str) -> HttpResponse:
    """What all models replied to one item."""

    def make() -> HttpResponse:
        chosen = banks_with_items().filter(slug=bank).first()
        page = replies_page(chosen, item_id, request.GET.get("page", "")) if chosen else None
        if page is None:
            raise Http404("no such item")
        return render(request, "pages/items/item_replies.html", {"page": page})

    return warm(request, figures_stamp(), make)


urlpatterns = [
    path("items/", items, name="items"),
    path("items/<slug:bank>/", items, name="items"),
    path("items/<slug:bank>.json", bank_file, name="bank-file"),
    path("items/<slug:bank>/<str:item_id>/", item, name="item"),
    path("items/<slug:bank>/<str:item_id>/replies/", item_replies, name="item-replies"),
]
