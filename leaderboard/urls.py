"""All addresses of the site, subject by subject."""

from django.contrib import admin
from django.urls import path

from leaderboard.views import (
    plumbing,
    rankings,
    runs,
)

urlpatterns = [
    *rankings.urlpatterns,
    *runs.urlpatterns,
    *plumbing.urlpatterns,
    path("admin/", admin.site.urls),
]
