"""The dry-run part of the public cases of odd endpoints: what the button of the form says of each.

One test, a case a row of `endpoint_cases.CASES`: E01 to E25 and P17. What the run then does with the same endpoint is
in `test_cases_of_endpoints.py`.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from tests.fakes import serve
from tests.leaderboard.endpoint_cases import CASES, Case, log_of, offered_banks
from tests.leaderboard.sending import filled, no_turns_taken

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.thorough]


@pytest.fixture(autouse=True)
def _bank() -> Iterator[None]:
    offered_banks()
    no_turns_taken()
    yield
    no_turns_taken()


def tried(client: Client, address: str, case: Case) -> str:
    form: dict[str, Any] = filled(f"{address}{case.path}", **case.form)
    response = client.post("/submit/dry-run/", form, headers={"HX-Request": "true"})
    assert response.status_code == 200
    return response.content.decode().replace("&#x27;", "'").replace("&quot;", '"')


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_dry_run_says_what_is_out_of_the_ordinary(client: Client, case: Case) -> None:
    with serve(case.endpoint(for_dry_run=True)) as address:
        html = tried(client, address, case)
        log = log_of(address)
    assert ("Not passed" not in html) == case.passes, html
    for sentence in case.dry:
        assert sentence in html
    assert "JSON error" not in html
    if case.passes:
        assert html.count('<td class="n">10.00</td>') == 3
    assert len({row["prompt_sha256"] for row in log}) <= 3
    assert {row["model"] for row in log} <= {filled(**case.form)["api_model"]}
