"""The forms of the set-up page at their edges: bounds, and what others change while a form is open."""

import pytest

from leaderboard.study.models import Study
from tests.leaderboard.staff import root
from tests.leaderboard.study.making import make_study
from tests.leaderboard.study.test_operator_pages import CONSENT, post

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture
def study() -> Study:
    return make_study(batches=2, items=2, state="draft")


def test_a_consent_text_does_not_keep_raters_for_longer_than_dates_go(study: Study) -> None:
    path = f"/studies/{study.slug}/setup/consent/"
    html = post(root(), path, **{**CONSENT, "consent-kept_months": "30000"})
    assert "Choose 600 months or fewer: that is 50 years." in html
    assert study.consent_forms.count() == 1
    post(root(), path, **{**CONSENT, "consent-kept_months": "600"})
    assert study.consent_forms.count() == 2
