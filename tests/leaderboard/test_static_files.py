"""Static files under the settings of production: collected, named by their content, and served with the rankings."""

import json
import re
from pathlib import Path

import pytest

from leaderboard.plotly_bundle import package_data
from tests.deployment.production import run

pytestmark = pytest.mark.thorough

ASK = """
import gzip, json, re
from django.test import Client
from leaderboard.standings import refresh_standings

refresh_standings()
client = Client(headers={"host": "board.example", "accept-encoding": "gzip"})

def answer(path):
    response = client.get(path, secure=True)
    body = b"".join(response.streaming_content) if response.streaming else response.content
    return {"status": response.status_code, "headers": dict(response.headers), "size": len(body), "body": body}

page = answer("/rankings/eq-bench-v2/")
html = gzip.decompress(page.pop("body")).decode()
files = {path: answer(path) for path in set(re.findall(r'"(/static/[^"]+)"', html))}
for each in files.values():
    each.pop("body")
print(json.dumps({"page": page, "rows": html.count('class="model"'), "files": files}))
"""


def test_the_rankings_load_hashed_and_compressed_files_under_production_settings(tmp_path: Path) -> None:
    changes = {
        "DATABASE_URL": f"sqlite:///{tmp_path / 'board.sqlite3'}",
        "STATIC_ROOT": str(tmp_path / "static"),
        "VAR_DIR": str(tmp_path),
        "ALLOWED_HOSTS": "board.example",
    }
    for words in (["migrate"], ["load_published"], ["collectstatic", "--noinput"]):
        done = run("python", "manage.py", *words, **changes)
        assert done.returncode == 0, done.stderr
    asked = run("python", "manage.py", "shell", "--verbosity", "0", "-c", ASK, **changes)
    assert asked.returncode == 0, asked.stderr
    found = json.loads(asked.stdout)
    assert (found["page"]["status"], found["rows"]) == (200, 50)
    assert found["page"]["headers"]["Content-Encoding"] == "gzip"
    for path, file in found["files"].items():
        assert file["status"] == 200, path
        assert re.search(r"\.[0-9a-f]{12}\.", path), f"{path} has no hash in its name"
        assert "immutable" in file["headers"]["Cache-Control"], path
    names = {re.sub(r"\.[0-9a-f]{12}\.", ".", path.removeprefix("/static/")) for path in found["files"]}
    assert {"css/site.css", "css/rankings.css", "js/theme.js", "js/charts.js", "plotly/plotly.min.js"} <= names
    plotly = next(file for path, file in found["files"].items() if "/plotly/" in path)
    assert plotly["headers"]["Content-Encoding"] == "gzip"
    assert plotly["size"] < (package_data() / "plotly.min.js").stat().st_size / 2
