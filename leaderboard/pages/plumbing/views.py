"""What browsers and robots ask for beside the pages."""

from datetime import timedelta
from xml.etree import ElementTree as ET

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import path
from django.utils import timezone
from django.views.decorators.http import conditional_page, require_safe
from django.views.generic import RedirectView

from leaderboard.pages.plumbing.page import addresses, addresses_stamp, card_of
from leaderboard.pages.shared.warm import warm

SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9"


class Favicon(RedirectView):
    """Browsers that ask for /favicon.ico before they have read a page."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("favicon.svg")


@require_safe
def robots(request: HttpRequest) -> HttpResponse:
    return render(request, "robots.txt", content_type="text/plain")


@require_safe
def security(request: HttpRequest) -> HttpResponse:
    """To whom a weakness is reported; 404 where the operator names nobody, or an address that the form does not take.

    Source: RFC 9116, which wants mailto or https, and a date on which the file goes stale.
    """
    if not settings.CONTACT.startswith(("mailto:", "https://")):
        raise Http404
    expires = timezone.now() + timedelta(days=180)
    lines = (f"Contact: {settings.CONTACT}", f"Expires: {expires:%Y-%m-%dT%H:%M:%SZ}", "Preferred-Languages: en")
    return HttpResponse("\n".join((*lines, "")), content_type="text/plain; charset=utf-8")


@require_safe
def sitemap(request: HttpRequest) -> HttpResponse:
    """Every public page, at most the 50,000 that one file may hold."""
    return warm(request, addresses_stamp(), lambda: sitemap_response(request))


def sitemap_response(request: HttpRequest) -> HttpResponse:
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
    return render(request, "pages/plumbing/card.svg", {"card": card_of()}, content_type="image/svg+xml")


urlpatterns = [
    path("robots.txt", robots, name="robots"),
    path(".well-known/security.txt", security, name="security"),
    path("sitemap.xml", sitemap, name="sitemap"),
    path("card.svg", card, name="card"),
    path("favicon.ico", Favicon.as_view(), name="favicon"),
]
