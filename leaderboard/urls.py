"""All addresses of the site, subject by subject."""

from django.contrib import admin
from django.urls import path

from leaderboard.sharing import feeds
from leaderboard.study import views as study
from leaderboard.views import (
    about,
    administration,
    api,
    charts,
    compare,
    health,
    items,
    methodology,
    models,
    plumbing,
    rankings,
    runs,
    statistics,
    submissions,
    submit,
)

admin.autodiscover()
urlpatterns = [
    *rankings.urlpatterns,
    *compare.urlpatterns,
    *items.urlpatterns,
    *runs.urlpatterns,
    *models.urlpatterns,
    *methodology.urlpatterns,
    *about.urlpatterns,
    *statistics.urlpatterns,
    *study.urlpatterns,
    *charts.urlpatterns,
    *api.urlpatterns,
    *feeds.urlpatterns,
    *submit.urlpatterns,
    *submissions.urlpatterns,
    *plumbing.urlpatterns,
    *health.urlpatterns,
    *administration.urlpatterns,
    path("admin/", admin.site.urls),
]
