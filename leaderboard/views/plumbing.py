"""What browsers and robots ask for beside the pages."""

from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView, TemplateView


class Favicon(RedirectView):
    """Browsers that ask for /favicon.ico before they have read a page."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("favicon.svg")


urlpatterns = [
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain"), name="robots"),
    path("favicon.ico", Favicon.as_view(), name="favicon"),
]
