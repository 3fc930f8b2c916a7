"""What browsers and robots ask for beside the pages."""

from xml.etree import ElementTree as ET

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import path
from django.views.decorators.http import conditional_page, require_safe
from django.views.generic import RedirectView

from leaderboard.queries.plumbing import addresses, card_of

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


class Favicon(RedirectView):
    """Browsers that ask for /favicon.ico before they have read a page."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("favicon.svg")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    return render(request, "robots.txt", content_type="text/plain")


@conditional_page
@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """Every public page, at most the 50,000 that one file may hold."""
    root = ET.Element("urlset", xmlns=SITEMAP)
    for address in addresses():
        entry = ET.SubElement(root, "url")
        ET.SubElement(entry, "loc").text = request.build_absolute_uri(address.path)
        if address.changed_on:
            ET.SubElement(entry, "lastmod").text = address.changed_on.isoformat()
    return HttpResponse(ET.tostring(root, "utf-8", xml_declaration=True), content_type="application/xml")


@conditional_page
@require_safe
def card(request: HttpRequest) -> HttpResponse:
    """The picture that goes with a shared link. Services that take no SVG show title and description alone."""
    return render(request, "leaderboard/card.svg", {"card": card_of()}, content_type="image/svg+xml")


urlpatterns = [
    path("robots.txt", robots, name="robots"),
    path("sitemap.xml", sitemap, name="sitemap"),
    path("card.svg", card, name="card"),
    path("favicon.ico", Favicon.as_view(), name="favicon"),
]
