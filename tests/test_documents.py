"""The documents hold what they say: each command in them is run here or named with what runs it, and links lead on."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from io import StringIO
from pathlib import Path

import pytest
import yaml
from django.core.management import call_command
from django.urls import resolve

from tests.deployment.production import run
from tests.factories import question_file
from tests.processes import ROOT

DOCUMENTS = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY", "CHANGELOG")),
    *sorted((ROOT / "docs").glob("*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

RUN = "tests/test_documents_run.py"
# Command or its beginning -> the file that runs it, and the words in that file that do.
RUN_ELSEWHERE = {
    "make setup": ("Makefile", "run: setup"),
    "make run": ("tests/leaderboard/test_serve_orphans.py", '"-o", "setup", "run"'),
    "make check": (".ci/run", "make check"),
    "make test-thorough": (".ci/run", "make test-thorough"),
    "make test": (".ci/bare", "make test"),
    "apt install git make python3-venv": (".ci/bare", "apt_lines"),
    "apt install redis-server": (".ci/bare", "apt_lines"),
    "manage.py demo_endpoint": ("tests/leaderboard/test_serve.py", "demo_endpoint"),
    "manage.py evaluate": ("tests/evaluation/test_evaluate_command.py", "evaluate"),
    "manage.py load_bank eq-bench-v2": ("tests/evaluation/test_banks.py", "load_bank"),
    "manage.py load_bank seceu": ("tests/evaluation/test_banks_of_several_files.py", '"load_bank", "seceu"'),
    "manage.py load_bank emotionbench": (
        "tests/evaluation/test_banks_of_several_files.py",
        '"load_bank", "emotionbench"',
    ),
    "manage.py score_replies emotionbench": ("tests/evaluation/test_banks_of_several_files.py", '"emotionbench"'),
    "manage.py score_replies seceu": ("tests/evaluation/test_banks_of_several_files.py", '"score_replies", "seceu"'),
    "manage.py import_results": ("tests/evaluation/test_import_results.py", "import_results"),
    "manage.py backup": ("tests/leaderboard/test_backup.py", '"backup"'),
    "manage.py restore": ("tests/leaderboard/test_backup.py", '"restore"'),
    "manage.py study_statistics": ("tests/evaluation/test_study_statistics_command.py", "study_statistics"),
    "manage.py load_study": ("tests/leaderboard/test_study_page.py", '"load_study"'),
    "manage.py import_ratings": ("tests/leaderboard/study/test_importing.py", '"import_ratings"'),
    "manage.py export_results": ("tests/evaluation/test_export_results.py", '"export_results"'),
    "manage.py migrate": ("tests/deployment/test_processes.py", 'procfile()["release"]'),
    "manage.py collectstatic": ("tests/deployment/test_processes.py", 'procfile()["release"]'),
    "manage.py check --deploy": ("tests/deployment/test_production_start.py", "--deploy"),
    "manage.py check": ("tests/leaderboard/test_kinds.py", "run_checks"),
    "manage.py runserver": (RUN, "drill_of_a_restored_backup"),
    "export DATABASE_URL": (RUN, "drill_of_a_restored_backup"),
    "make fmt": (RUN, '"fmt"]'),
    "make local-model": (RUN, '"local-model"]'),
    "export CMAKE_ARGS": (RUN, "local_model_by_hand"),
    "export LLAMA_CPP_BUILD_JOBS": (RUN, "local_model_by_hand"),
    "var/local-model/venv/bin/pip": (RUN, "local_model_by_hand"),
    "python3 -m venv .venv": ("scripts/set_up.py", '"-m", "venv"'),
    ".venv/bin/pip install --require-hashes -r requirements.txt": ("Makefile", "set_up.py install requirements.txt"),
    "python3 -m venv var/local-model": ("scripts/local_model.py", "venv.create"),
    "llama-server": (RUN, "local_model_by_hand"),
    "useradd": (RUN, '"useradd"'),
    "install -m 600": (RUN, '"install -m 600"'),
    "cp deploy/systemd": (RUN, '"cp deploy/systemd"'),
    "systemctl": (RUN, '"systemctl"'),
    "unshare": (RUN, '"unshare"'),
    "manage.py axes_list_attempts": ("tests/leaderboard/test_logging_in.py", "axes_list_attempts"),
    "manage.py axes_reset_username": ("tests/leaderboard/test_logging_in.py", "axes_reset_username"),
    "gunicorn leaderboard.wsgi": ("tests/deployment/test_processes.py", "procfile()"),
    "celery -A leaderboard.celery worker": ("tests/deployment/test_processes.py", "procfile()"),
    "celery -A leaderboard.celery beat": ("tests/deployment/test_processes.py", "procfile()"),
}
# Command or its beginning -> why no test can run it.
RUN_NOWHERE = {
    "make bench": "a measurement for people; planned here by make --dry-run",
    "ollama": "another program, from another registry",
    "vllm": "another program, which wants a GPU",
    "apt install": "changes the machine; .ci/run installs the same packages",
    "git clone": "ADDRESS stands for where the code is hosted",
    "certbot": "asks a public authority about a public host",
    "cp deploy/nginx.conf": "changes the machine's web server; tests/deployment/test_files.py tries the file",
    "sed -i s/board.example": "changes the machine's web server; tests/deployment/test_files.py tries the file",
    "service nginx": "changes the machine's web server; tests/deployment/test_files.py tries the file",
    "nginx -t": "changes the machine's web server; tests/deployment/test_files.py tries the file",
    "ssh -L": "wants another machine",
    "git pull": "wants the host of the code",
    "runuser -u postgres": "asks for a password; .ci/run makes a role and databases of its own",
    "systemctl stop": "nothing can be started under systemd where the tests run",
    "systemctl start": "nothing can be started under systemd where the tests run",
    ".venv/bin/python -m pip install ipykernel": "a tool of the reader's, which no lock names",
    ".venv/bin/python -m ipykernel": "a tool of the reader's, which no lock names",
    "docker buildx imagetools inspect": "no registry of images can be reached where the tests run",
    "nft -f": "changes the machine's firewall; tests/deployment/test_files.py reads the file",
    "docker compose": "no container can run where the tests do; tests/deployment/test_files.py reads its files",
}
# Cheap ones, run here on a scratch database, in this order: a later one finds what an earlier one made.
IN_PROCESS = (
    "load_published",
    "load_bank eq-open-v2",
    "load_bank eq-bench-v2 --private FILE",
    "load_bank eq-bench-v2 --private my_items.json --slug my-office",
    "load_baselines",
    "score_replies eq-bench-v2 replies.json",
    "rescore --all",
    "rotate_keys",
)
# What else the tests below run.
RUN_BELOW = ("manage.py createsuperuser", "python3 -c")


def commands_of(document: Path) -> list[str]:
    """The commands in the document's shell blocks: continued lines joined, comments and prompts of variables off."""
    found = []
    for language, block in BLOCK.findall(document.read_text(encoding="utf-8")):
        if language == "sh":
            lines = block.replace("\\\n", " ").splitlines()
            found += [" ".join(shlex.split(line, comments=True)) for line in lines if shlex.split(line, comments=True)]
    return found


def plain(command: str) -> str:
    """Without the program that runs manage.py: `.venv/bin/python manage.py x`, `deploy/manage x` and `manage.py x` are
    one; nor the right to change the machine.
    """
    command = re.sub(r"^((\S*python3? )?manage\.py|deploy/manage)", "manage.py", command).removeprefix("sudo ")
    return re.sub(r"^\.venv/bin/(celery|gunicorn) ", r"\1 ", command)


COMMANDS = sorted({plain(command) for document in DOCUMENTS for command in commands_of(document)})


def known(command: str) -> list[str]:
    """What accounts for that command."""
    listed = [
        name
        for name in (*RUN_ELSEWHERE, *RUN_NOWHERE)
        if command == name or command.startswith((f"{name} ", f"{name}/", f"{name}="))
    ]
    here = [f"manage.py {name}" for name in IN_PROCESS if command == f"manage.py {name}"]
    return [*listed, *here, *(name for name in RUN_BELOW if command.startswith(name))]


def test_there_are_commands_in_the_documents() -> None:
    assert len(COMMANDS) > 40
    assert len(commands_of(ROOT / "README.md")) > 15


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_block_says_what_it_is_so_that_no_command_hides(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    assert {language for language, _ in BLOCK.findall(text)} <= {"sh", "text", "json", "yaml", "python"}
    assert not re.search(r"\n\n    \S", text), "an indented block escapes this test: use a fence"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_run_here_or_named_with_what_runs_it(command: str) -> None:
    assert known(command), f"add {command!r} to the tables of this file, with the test that runs it"


@pytest.mark.parametrize("name", [*RUN_ELSEWHERE, *RUN_NOWHERE])
def test_no_entry_of_the_tables_outlives_its_command(name: str) -> None:
    assert any(name in known(command) for command in COMMANDS)


@pytest.mark.parametrize(("file", "words"), sorted(set(RUN_ELSEWHERE.values())))
def test_what_is_said_to_run_a_command_is_there(file: str, words: str) -> None:
    assert words in (ROOT / file).read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.database
def test_the_commands_that_fill_a_board_work_in_turn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("FILE").write_text(_questions(5))
    Path("my_items.json").write_text(_questions(7))
    Path("replies.json").write_text('{"1": "nothing to read"}')
    for line in IN_PROCESS:
        said = StringIO()
        if line.startswith("score_replies"):
            # It wants the bank that only its public home has; without it the command says so.
            with pytest.raises(Exception, match="eq-bench-v2"):
                call_command(*line.split(), stdout=said)
            continue
        call_command(*line.split(), stdout=said)
        assert said.getvalue(), line


def _questions(n: int) -> str:
    return json.dumps(question_file(n))


@pytest.mark.django_db
def test_an_administrator_is_made_without_a_question_where_the_answers_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DJANGO_SUPERUSER_PASSWORD", "correct horse")
    said = StringIO()
    call_command("createsuperuser", "--noinput", username="ada", email="ada@board.example", stdout=said)
    assert "created" in said.getvalue()


def secrets_lines() -> list[str]:
    text = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
    return re.findall(r"^python3 -c '(.+)' +# (?:SECRET_KEY|ENDPOINT_KEYS)$", text, re.MULTILINE)


def test_the_secrets_that_the_document_makes_are_ones_that_a_production_start_takes() -> None:
    made = [
        subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout.strip()
        for line in secrets_lines()
    ]
    assert len(made) == 2
    done = run(sys.executable, "-c", "import leaderboard.settings", SECRET_KEY=made[0], ENDPOINT_KEYS=made[1])
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("target", ["bench", "lock", "test-database"])
def test_every_target_of_make_can_be_planned_and_is_listed(target: str) -> None:
    plan = subprocess.run(
        ["make", "--dry-run", "-o", ".venv/.dev", target], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert plan.returncode == 0, plan.stderr
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert re.search(rf"^{target} ", listed, re.MULTILINE)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_to_files_lead_to_files(document: Path) -> None:
    for link in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
        if "://" not in link:
            assert (document.parent / link).exists(), link


def anchors(document: Path) -> set[str]:
    """Of its headings, as the usual renderers of Markdown make them."""
    headings = re.findall(r"^#+ (.+)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_to_headings_lead_to_headings(document: Path) -> None:
    for file, anchor in re.findall(r"\]\(([^):#]*)#([^)]+)\)", document.read_text(encoding="utf-8")):
        assert anchor in anchors(document.parent / file if file else document), (file, anchor)


ONCE = {"manage.py load_bank eq-open-v2", "manage.py load_bank eq-bench-v2", "manage.py createsuperuser"}


def test_an_upgrade_does_all_that_a_first_start_does_but_what_is_done_once() -> None:
    """In the same order, with everything stopped, after a backup."""
    first = [plain(line) for line in commands_of(ROOT / "docs/deployment.md")]
    begin = first.index("manage.py migrate --noinput")
    wanted = [line for line in first[begin : first.index("manage.py createsuperuser")] if line not in ONCE]
    upgrade = [plain(line) for line in commands_of(ROOT / "docs/operations.md")]
    stop, start = (upgrade.index(f"systemctl {word} eq-leaderboard.target") for word in ("stop", "start"))
    assert upgrade[stop - 1].startswith("manage.py backup ")
    assert [line for line in upgrade[stop:start] if line.startswith("manage.py")] == wanted
    assert len(wanted) >= 5


def test_the_citation_names_the_version_and_the_licence_of_the_package() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert (cited["title"], cited["version"], cited["license"]) == ("EQ Leaderboard", package["version"], "MIT")
    assert f"## {package['version']}, " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_pages_that_are_named_are_pages(document: Path) -> None:
    text = document.read_text(encoding="utf-8")
    for path in re.findall(r"(?:127\.0\.0\.1:8000|`)(/[a-z]+/)`?(?=[\s,.`)])", text):
        resolve(path)


def test_the_deployment_page_tells_every_variable_that_the_settings_read_and_no_other() -> None:
    settings = (ROOT / "leaderboard/settings.py").read_text(encoding="utf-8")
    read = set(re.findall(r'(?:env(?:\.\w+)?|required|networks)\(\s*"([A-Z_]+)"', settings))
    told = set(
        re.findall(r"`([A-Z]+(?:_[A-Z]+)+|DEBUG|CONTACT)`", (ROOT / "docs/deployment.md").read_text(encoding="utf-8"))
    )
    assert len(read) > 40
    assert told - {"POSTGRES_PASSWORD"} == read  # that one is read by the compose file


def test_the_screenshot_is_a_small_png() -> None:
    content = (ROOT / "docs/board.png").read_bytes()
    assert content.startswith(b"\x89PNG")
    assert len(content) <= 200 * 1024
