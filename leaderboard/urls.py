from django.contrib import admin
from django.templatetags.static import static
from django.urls import path
from django.views.generic import RedirectView, TemplateView

from leaderboard import views


class Favicon(RedirectView):
    """Browsers that ask for /favicon.ico before they have read a page."""

    def get_redirect_url(self, *args: object, **kwargs: object) -> str:
        return static("favicon.svg")


urlpatterns = [
    path("", views.rankings, name="home"),
    path("rankings/<slug:key>/", views.rankings, name="ranking"),
    path("runs/<int:pk>/", views.run_detail, name="run"),
    path("runs/<int:pk>/live/", views.run_live, name="run-live"),
    path("runs/<int:pk>/items/", views.run_items, name="run-items"),
    path("runs/<int:pk>/manifest.json", views.run_manifest, name="run-manifest"),
    path("robots.txt", TemplateView.as_view(template_name="robots.txt", content_type="text/plain"), name="robots"),
    path("favicon.ico", Favicon.as_view(), name="favicon"),
    path("admin/", admin.site.urls),
]
