"""All addresses of the site, subject by subject."""

from django.contrib import admin
from django.urls import path

from leaderboard import feeds
from leaderboard.views import (
    api,
    charts,
    compare,
    items,
    methodology,
    models,
    plumbing,
    rankings,
    runs,
    submissions,
    submit,
)

urlpatterns = [
    *rankings.urlpatterns,
    *compare.urlpatterns,
    *items.urlpatterns,
    *runs.urlpatterns,
    *models.urlpatterns,
    *methodology.urlpatterns,
    *charts.urlpatterns,
    *api.urlpatterns,
    *feeds.urlpatterns,
    *submit.urlpatterns,
    *submissions.urlpatterns,
    *plumbing.urlpatterns,
    path("admin/", admin.site.urls),
]
