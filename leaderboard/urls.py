"""All addresses of the site, subject by subject."""

from django.contrib import admin
from django.urls import path

from leaderboard.pages.about import views as about
from leaderboard.pages.administration import views as administration
from leaderboard.pages.api import views as api
from leaderboard.pages.cards import views as cards
from leaderboard.pages.charts import views as charts
from leaderboard.pages.compare import views as compare
from leaderboard.pages.emotionbench import views as emotionbench
from leaderboard.pages.health import views as health
from leaderboard.pages.items import views as items
from leaderboard.pages.methodology import views as methodology
from leaderboard.pages.models import views as models
from leaderboard.pages.news import views as news
from leaderboard.pages.plumbing import views as plumbing
from leaderboard.pages.rankings import views as rankings
from leaderboard.pages.reports import views as reports
from leaderboard.pages.runs import views as runs
from leaderboard.pages.statistics import views as statistics
from leaderboard.pages.submissions import views as submissions
from leaderboard.pages.submit import views as submit
from leaderboard.pages.you import views as you
from leaderboard.sharing import feeds
from leaderboard.study import operator_views as operators
from leaderboard.study import views as study
from leaderboard.study.judges import views as judges

admin.autodiscover()
urlpatterns = [
    *rankings.urlpatterns,
    *compare.urlpatterns,
    *emotionbench.urlpatterns,
    *items.urlpatterns,
    *runs.urlpatterns,
    *models.urlpatterns,
    *methodology.urlpatterns,
    *about.urlpatterns,
    *statistics.urlpatterns,
    *operators.urlpatterns,
    *study.urlpatterns,
    *judges.urlpatterns,
    *charts.urlpatterns,
    *api.urlpatterns,
    *feeds.urlpatterns,
    *submit.urlpatterns,
    *submissions.urlpatterns,
    *cards.urlpatterns,
    *news.urlpatterns,
    *reports.urlpatterns,
    *you.urlpatterns,
    *plumbing.urlpatterns,
    *health.urlpatterns,
    *administration.urlpatterns,
    path("admin/", admin.site.urls),
]
