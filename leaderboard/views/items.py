"""The items of a bank, and one item over all models."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe

from evaluation.disclosure import BANKS_WITH_PAGES
from evaluation.models import Access, ItemBank
from leaderboard.queries.bank_figures import fullest_bank
from leaderboard.queries.bank_file import shipped_file
from leaderboard.queries.bank_items import items_page
from leaderboard.queries.directory import figures_stamp
from leaderboard.queries.item_profile import item_page
from leaderboard.views.warm import warm


@require_safe
def items(request: HttpRequest, bank: str | None = None) -> HttpResponse:
    """The items of the bank named, or of the one that most models answered."""
    return warm(request, figures_stamp(), lambda: items_response(request, bank))


def items_response(request: HttpRequest, bank: str | None) -> HttpResponse:
    banks = list(ItemBank.objects.filter(BANKS_WITH_PAGES).exclude(access=Access.PRIVATE).order_by("title"))
    if not banks and bank is None:
        return render(request, "leaderboard/items.html", {"page": None})
    slug = bank or fullest_bank(banks).slug
    chosen = next((each for each in banks if each.slug == slug), None)
    if chosen is None:
        raise Http404("no such bank")
    page = items_page(chosen, banks, request.GET.get("sort", ""))
    return render(request, "leaderboard/items.html", {"page": page, "has_file": shipped_file(chosen) is not None})


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
        chosen = ItemBank.objects.filter(BANKS_WITH_PAGES).exclude(access=Access.PRIVATE).filter(slug=bank).first()
        page = item_page(chosen, item_id) if chosen else None
        if page is None:
            raise Http404("no such item")
        return render(request, "leaderboard/item.html", {"page": page})

    return warm(request, figures_stamp(), make)


urlpatterns = [
    path("items/", items, name="items"),
    path("items/<slug:bank>/", items, name="items"),
    path("items/<slug:bank>.json", bank_file, name="bank-file"),
    path("items/<slug:bank>/<str:item_id>/", item, name="item"),
]
