"""The files that others start the board by: each can be read, and all name the same commands."""

import os
import re
import shlex
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from configparser import ConfigParser
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml

from leaderboard.administration.unpacking import MEGABYTE, MOST_UNPACKED_BYTES
from tests.deployment.production import REQUIRED, procfile, run
from tests.processes import ROOT, free_port, wait_for
from tests.tools import needs

DEPLOY = ROOT / "deploy"
IMAGE = (DEPLOY / "Dockerfile").read_text()
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
TOKEN = "Zt4-aCanaryOfAToken_22"
INSTALLED = "/srv/eq-leaderboard"
OF_THE_PLACE = re.compile(r"[\d.]+:8000$|\$\{HOST|worker-%i|--hostname")
HANDLED_BY_THE_IMAGES = {"POSTGRES_PASSWORD"}  # read by compose.yaml alone, to make DATABASE_URL


def unit(path: Path) -> ConfigParser:
    """Names may stand twice in a unit; the last is kept, which no test here minds."""
    parser = ConfigParser(strict=False, interpolation=None, delimiters=("=",))
    parser.optionxform = str  # type: ignore[method-assign,assignment]
    parser.read_string(path.read_text())
    return parser


def compose() -> dict[str, Any]:
    read: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    return read


def kind(words: list[str]) -> tuple[str, ...]:
    """What a command line does: program and its first words, wherever the program lies and whatever it binds to."""
    program = Path(words[0]).name
    if program == "celery":
        return program, *(word for word in words if word in {"leaderboard.celery", "worker", "beat"})
    return program, words[1]


def commands() -> dict[str, list[str]]:
    """Every command line of Procfile, units, compose file and image, by where it stands."""
    found = {f"Procfile {name}": shlex.split(line) for name, line in procfile().items() if name != "release"}
    found |= {path.name: shlex.split(unit(path)["Service"]["ExecStart"]) for path in UNITS}
    services = compose()["services"]
    found |= {f"compose {name}": services[name]["command"] for name in ("web", "worker", "beat")}
    image = re.search(r"^CMD (\[.*\])$", IMAGE, re.MULTILINE)
    assert image
    return found | {"Dockerfile": yaml.safe_load(image[1])}


def test_all_start_the_same_three_processes_and_each_program_is_installed() -> None:
    found = commands()
    kinds = {kind(words) for words in found.values()}
    assert kinds == {
        ("gunicorn", "leaderboard.wsgi"),
        ("celery", "leaderboard.celery", "worker"),
        ("celery", "leaderboard.celery", "beat"),
    }
    assert len(found) == 3 + 3 + 3 + 1
    for words in found.values():
        assert shutil.which(Path(words[0]).name, path=str(ROOT / ".venv/bin"))


def test_each_web_server_has_the_logger_and_no_control_socket() -> None:
    """From gunicorn.conf.py, which gunicorn reads in the folder that it is started in."""
    done = run(str(ROOT / ".venv/bin/gunicorn"), "--print-config", "leaderboard.wsgi")
    assert done.returncode == 0, done.stderr
    shown = dict(re.findall(r"^(\w+) += (.*)$", done.stdout, re.MULTILINE))
    assert shown["control_socket_disable"] == "True"
    assert "WebLines" in shown["logger_class"]
    for name, words in commands().items():
        assert not {"--config", "-c", "--chdir", "--logger-class"} & set(words), name
    assert re.search(r"^COPY .*\bgunicorn.conf.py\b", IMAGE, re.MULTILINE)
    for path in UNITS:
        assert unit(path)["Service"]["WorkingDirectory"] == INSTALLED


@pytest.mark.parametrize("where", ["web", "worker", "beat"])
def test_the_three_ways_give_a_process_the_same_options(where: str) -> None:
    found = commands()
    alike = [words for name, words in found.items() if where in name]
    assert len(alike) == 3
    ours = [[word for word in words[1:] if not OF_THE_PLACE.match(word)] for words in alike]
    assert ours[0] == ours[1] == ours[2]


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_runs_as_a_user_of_its_own_with_its_secrets_from_a_file(path: Path) -> None:
    service = unit(path)["Service"]
    assert service["User"] == "eq-leaderboard"
    assert service["EnvironmentFile"] == "/etc/eq-leaderboard.env"
    assert "DEBUG=false" in service["Environment"].split(), "whatever a .env of `make setup` says"
    assert service["ProtectSystem"] == "strict"
    assert service["Restart"] == "always"


def test_systemd_finds_no_fault_in_the_units(tmp_path: Path) -> None:
    needs("systemd-analyze")
    for path in (DEPLOY / "systemd").iterdir():
        # It looks whether the programs exist, so the copies name those of this checkout.
        (tmp_path / path.name).write_text(path.read_text().replace(INSTALLED, str(ROOT)))
    names = sorted(str(path) for path in tmp_path.iterdir())
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *names], capture_output=True, text=True, check=False, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")


STAND_IN = """#!/bin/sh
printf '%s\\n' "$@"
exit 7
"""


def test_manage_py_runs_with_user_folder_and_settings_of_the_units(tmp_path: Path) -> None:
    (tmp_path / "systemd-run").write_text(STAND_IN)
    (tmp_path / "systemd-run").chmod(0o755)
    done = subprocess.run(
        [str(DEPLOY / "manage"), "backup", "a file.zip"],
        env={"PATH": f"{tmp_path}:{os.environ['PATH']}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 7, "the command's own exit status"
    words = done.stdout.splitlines()
    given = dict(words[at + 1].split("=", 1) for at, word in enumerate(words) if word == "-p")
    for path in UNITS:
        service = unit(path)["Service"]
        assert given == {name: service[name] for name in given}
    assert {"User", "Group", "WorkingDirectory", "EnvironmentFile", "Environment"} <= given.keys()
    assert words[-4:] == [f"{INSTALLED}/.venv/bin/python", "manage.py", "backup", "a file.zip"]
    assert f"--setenv=MANAGE_COMMAND={DEPLOY / 'manage'}" in words, "sentences name the command as it was called"


def test_sentences_in_a_container_name_the_command_of_the_host() -> None:
    named = compose()["x-board"]["environment"]["MANAGE_COMMAND"]
    assert f"`{named} …`" in (ROOT / "docs/deployment.md").read_text(encoding="utf-8")


LOCKED = {
    "CapabilityBoundingSet": "", "LockPersonality": "true", "NoNewPrivileges": "true", "PrivateDevices": "true",
    "PrivateTmp": "true", "ProtectClock": "true", "ProtectControlGroups": "true", "ProtectHome": "true",
    "ProtectHostname": "true", "ProtectKernelLogs": "true", "ProtectKernelModules": "true",
    "ProtectKernelTunables": "true", "ProtectProc": "invisible", "ProtectSystem": "strict",
    "RestrictAddressFamilies": "AF_UNIX AF_INET AF_INET6", "RestrictNamespaces": "true", "RestrictRealtime": "true",
    "RestrictSUIDSGID": "true", "SystemCallArchitectures": "native", "SystemCallErrorNumber": "EPERM",
}  # fmt: skip
MOST_EXPOSED = 3.0


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_a_unit_may_do_no_more_than_it_needs(path: Path) -> None:
    service = unit(path)["Service"]
    assert {name: service.get(name) for name in LOCKED} == LOCKED
    filters = re.findall(r"^SystemCallFilter=(.+)$", path.read_text(), re.MULTILINE)
    assert filters == ["@system-service", "~@privileged @resources"]
    assert re.fullmatch(r"\d+[MG]", service["MemoryMax"])


@pytest.mark.parametrize("path", UNITS, ids=lambda path: path.name)
def test_systemd_rates_a_unit_as_little_exposed(path: Path) -> None:
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze on this machine")
    done = subprocess.run(
        ["systemd-analyze", "security", "--offline=true", str(path)], capture_output=True, text=True, check=False
    )
    found = re.search(r"Overall exposure level for \S+: ([\d.]+)", done.stdout)
    assert found, done.stderr
    assert float(found[1]) <= MOST_EXPOSED


def test_the_target_wants_every_unit() -> None:
    wanted = unit(DEPLOY / "systemd/eq-leaderboard.target")["Unit"]["Wants"]
    assert {name.replace("@1", "@").replace("@2", "@") for name in wanted.split()} == {path.name for path in UNITS}


def test_the_compose_file_has_all_services_on_volumes_that_are_declared() -> None:
    read = compose()
    assert set(read["services"]) == {"database", "redis", "migrate", "web", "worker", "beat"}
    used = {volume.split(":")[0] for service in read["services"].values() for volume in service.get("volumes", [])}
    assert used == set(read["volumes"])
    waited_for = {name for service in read["services"].values() for name in service.get("depends_on", {})}
    assert waited_for <= set(read["services"])
    assert read["services"]["web"]["ports"] == ["127.0.0.1:8000:8000"], "reached through the proxy alone"


def test_no_container_has_a_right_that_it_does_not_need_or_writes_beside_its_volumes() -> None:
    for name, service in compose()["services"].items():
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert service["read_only"] is True, name
        assert "/tmp" in service["tmpfs"], name  # noqa: S108
    added = {name for name, service in compose()["services"].items() if "cap_add" in service}
    assert added == {"database", "redis"}, "whose entry points change the user"


def test_images_are_of_an_exact_version() -> None:
    base = re.search(r"^FROM (\S+)$", IMAGE, re.MULTILINE)
    assert base
    images = [
        base[1],
        *(each["image"] for name, each in compose()["services"].items() if name in {"database", "redis"}),
    ]
    for image in images:
        assert re.search(r":\d+\.\d+(\.\d+)?\b|@sha256:[0-9a-f]{64}$", image), image
    assert re.search(r":3\.11\.\d+", base[1]), "a version of Python is whole with three numbers"


def test_the_image_takes_in_only_what_is_there_and_never_the_secrets() -> None:
    copied = [word for line in re.findall(r"^COPY (.+) \S+$", IMAGE, re.MULTILINE) for word in line.split()]
    assert {"requirements.txt", "manage.py", "evaluation", "leaderboard", "templates", "static"} <= set(copied)
    assert all((ROOT / name).exists() for name in copied)
    assert {".env", ".env.*", "var", ".git"} <= set((ROOT / ".dockerignore").read_text().split())


def test_the_image_collects_its_static_files_with_all_that_a_start_wants() -> None:
    collecting = re.search(r"^RUN (SECRET_KEY=.*?)python manage\.py collectstatic", IMAGE, re.MULTILINE | re.DOTALL)
    assert collecting
    assert set(re.findall(r"([A-Z_]+)=", collecting[1])) == {*REQUIRED, "EMAIL_URL"}


def test_no_way_to_start_leaves_the_kind_of_board_to_a_file_of_development() -> None:
    example = (DEPLOY / "eq-leaderboard.env.example").read_text().splitlines()
    assert "DEBUG=false" in example
    assert compose()["x-board"]["environment"]["DEBUG"] == "false"


def test_every_setting_of_the_environment_file_reaches_the_containers_and_git_never_sees_it() -> None:
    needs("git")
    if not (ROOT / ".git").exists():
        pytest.skip("this folder is no clone")
    assert compose()["x-board"]["env_file"] == "../.env.production"  # as seen from deploy/
    ignored = subprocess.run(["git", "check-ignore", ".env.production"], cwd=ROOT, capture_output=True, check=False)
    assert ignored.returncode == 0


def test_every_variable_of_the_examples_is_one_that_the_settings_read() -> None:
    settings = (ROOT / "leaderboard/settings.py").read_text()
    example = re.findall(r"^([A-Z_]+)=", (DEPLOY / "eq-leaderboard.env.example").read_text(), re.MULTILINE)
    composed = set(compose()["x-board"]["environment"])
    assert {"SECRET_KEY", "ENDPOINT_KEYS", "ALLOWED_HOSTS", "DATABASE_URL", "REDIS_URL"} <= set(example) & composed
    for name in {*example, *composed} - HANDLED_BY_THE_IMAGES:
        assert f'"{name}"' in settings, name


@pytest.fixture
def site(tmp_path: Path) -> tuple[Path, int]:
    """The proxy example as a whole configuration with a certificate, a log in its own folder, and its port of HTTP."""
    needs("nginx", "openssl")
    words = "-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=board.example -keyout privkey.pem -out fullchain.pem"
    subprocess.run(["openssl", "req", *words.split()], cwd=tmp_path, check=True, capture_output=True)
    ports = {"80": free_port(), "443": free_port()}
    text = (DEPLOY / "nginx.conf").read_text().replace("/etc/letsencrypt/live/board.example", str(tmp_path))
    text = text.replace("/var/log/nginx", str(tmp_path))
    # Other ports: a test needs no right to the usual ones, nor a second family of addresses.
    text = re.sub(r"^ *listen \[::\].*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"listen (80|443)\b", lambda found: f"listen 127.0.0.1:{ports[found[1]]}", text)
    path = tmp_path / "nginx.conf"
    own = f"pid {tmp_path}/pid;\nerror_log stderr;\ndaemon off;\nmaster_process off;\nevents {{}}\n"
    path.write_text(f"{own}http {{\n{text}\n}}\n")
    return path, ports["80"]


def test_nginx_takes_the_proxy_example(site: tuple[Path, int]) -> None:
    done = subprocess.run(["nginx", "-t", "-c", str(site[0])], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nginx_logs_the_address_of_a_submission_without_its_token(site: tuple[Path, int]) -> None:
    path, port = site
    log = path.parent / "access.log"
    process = subprocess.Popen(["nginx", "-c", str(path)], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: asked(port, "/rankings/?page=2", "-"), what="nginx answers")
        asked(port, f"/submissions/{TOKEN}/live/?n=1", f"https://board.example/submissions/{TOKEN}/")
        wait_for(lambda: "live" in log.read_text(), what="the line is written")
    finally:
        process.terminate()
        process.wait(timeout=30)
    first, second = log.read_text().splitlines()
    assert '"GET /rankings/?page=2 HTTP/1.1" 301' in first
    assert '"GET /submissions/[removed]/live/?n=1 HTTP/1.1" 301' in second
    assert '"https://board.example/submissions/[removed]/"' in second
    assert TOKEN not in second


def asked(port: int, path: str, referer: str) -> bool:
    """Whether there was any answer."""
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers={"Referer": referer, "Host": "board.example"})
        return bool(connection.getresponse().status)
    except OSError:
        return False
    finally:
        connection.close()


@contextmanager
def running(path: Path, port: int) -> Iterator[None]:
    process = subprocess.Popen(["nginx", "-c", str(path)], stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: asked(port, "/", "-"), what="nginx answers")
        yield
    finally:
        process.terminate()
        process.wait(timeout=30)


def over_tls(port: int, name: str, method: str = "GET") -> tuple[int, str]:
    """Status and server of the answer. Raises OSError where there is none."""
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    raw = socket.create_connection(("127.0.0.1", port), timeout=60)
    with trusting.wrap_socket(raw, server_hostname=name) as tunnel:
        tunnel.sendall(
            f"{method} / HTTP/1.1\r\nHost: {name}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode()
        )
        response = HTTPResponse(tunnel)
        response.begin()
        return response.status, response.headers["Server"]


def test_the_proxy_answers_under_the_boards_name_alone_and_tells_no_version(site: tuple[Path, int]) -> None:
    path, port = site
    tls = tls_port(path)
    with running(path, port):
        connection = HTTPConnection("127.0.0.1", port, timeout=60)
        connection.request("GET", "/", headers={"Host": "evil.example"})
        with pytest.raises(RemoteDisconnected):
            connection.getresponse()
        with pytest.raises(OSError, match=r"(?i)ssl|unrecognized|reset"):
            over_tls(tls, "evil.example")
        assert over_tls(tls, "board.example") == (502, "nginx"), "there is no board behind it here"


def test_the_proxy_refuses_who_posts_without_end_and_serves_reading_on(site: tuple[Path, int]) -> None:
    path, port = site
    tls = tls_port(path)
    with running(path, port):
        statuses: list[int] = []
        while 429 not in statuses and len(statuses) < 400:  # more of them where they come slowly: one a second may
            statuses.append(over_tls(tls, "board.example", "POST")[0])
        assert statuses[:10] == [502] * 10
        assert 429 in statuses
        assert over_tls(tls, "board.example")[0] == 502


def tls_port(path: Path) -> int:
    found = re.search(r"listen 127\.0\.0\.1:(\d+) ssl", path.read_text())
    assert found
    return int(found[1])


def test_the_proxy_limits_requests_posts_and_connections_of_one_address() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    for line in ("server_tokens off;", "limit_req zone=requests ", "limit_req zone=posts ", "limit_conn connections "):
        assert line in text


def test_the_egress_rules_keep_the_boards_user_out_of_inner_networks() -> None:
    """Each network that is not public, but those that only documents use, and what the board itself needs."""
    text = (DEPLOY / "egress.nft").read_text()
    listed = [ip_network(word) for word in re.findall(r"[0-9a-f.:]+/\d+", text)]
    for inner in ("10.0.0.1", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1", "::1",
                  "fd00::1", "fe80::1", "::ffff:10.0.0.1", "64:ff9b::a00:1", "2002:a00:1::"):  # fmt: skip
        assert any(ip_address(inner) in network for network in listed), inner
    for public in ("8.8.8.8", "93.184.216.34", "2606:4700::1111"):
        assert not any(ip_address(public) in network for network in listed), public
    assert 'meta skuid != "eq-leaderboard" accept' in text
    if shutil.which("nft"):
        done = subprocess.run(["nft", "-c", "-f", str(DEPLOY / "egress.nft")], capture_output=True, check=False)
        assert b"syntax error" not in done.stderr


def test_the_proxy_tells_scheme_host_and_the_visitors_address() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    for header in ("Host $host", "X-Forwarded-For $proxy_add_x_forwarded_for", "X-Forwarded-Proto $scheme"):
        assert f"proxy_set_header {header};" in text


def test_the_proxy_lets_an_upload_of_results_through() -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    found = re.search(r"location = /admin/import/ \{\s*client_max_body_size (\d+)m;", text)
    assert found is not None
    assert int(found[1]) * MEGABYTE > MOST_UNPACKED_BYTES
