"""What holds the project together: its lists agree, its rules bite."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from graphs import NAMES

ROOT = Path(__file__).parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES: list[str] = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]


def read(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def constraints() -> list[Requirement]:
    return [Requirement(line) for line in read("constraints.txt").splitlines()]


def test_studio_is_given_every_graph() -> None:
    served = json.loads(read("langgraph.json"))["graphs"]
    assert served == {name: f"./graphs/{name}.py:graph" for name in NAMES}


def test_every_module_in_graphs_is_a_listed_graph() -> None:
    modules = {path.stem for path in (ROOT / "graphs").glob("*.py")} - {"__init__"}
    assert modules == set(NAMES)


def test_constraints_are_names_and_exact_versions_and_nothing_else() -> None:
    for line in read("constraints.txt").splitlines():
        assert re.fullmatch(r"[a-z0-9.-]+==[\w.]+( ; [\w.<>=!'() ]+)?", line), line


def test_constraints_pin_every_dependency_within_its_range() -> None:
    extras = PROJECT["project"]["optional-dependencies"].values()
    lists = [PROJECT["project"]["dependencies"], *extras, PROJECT["build-system"]["requires"]]
    for requirement in map(Requirement, chain(*lists)):
        pins = [pin for pin in constraints() if pin.name == canonicalize_name(requirement.name)]
        assert pins, f"{requirement.name} is not in constraints.txt: run `make constraints`"
        for pin in pins:
            [version] = [part.version for part in pin.specifier]
            assert requirement.specifier.contains(version), f"{requirement} but {pin}"


def test_the_same_packages_are_shipped_typed_and_bound_by_the_import_rules() -> None:
    assert PROJECT["tool"]["mypy"]["packages"] == PACKAGES
    assert PROJECT["tool"]["importlinter"]["root_packages"] == PACKAGES
    [layers] = [c for c in PROJECT["tool"]["importlinter"]["contracts"] if c["type"] == "layers"]
    assert sorted(re.findall(r"\w+", " ".join(layers["layers"]))) == sorted(PACKAGES)


@pytest.mark.parametrize(
    ("module", "line", "broken"),
    [
        ("state/outcome.py", "import nodes.text", "Imports flow one way"),
        ("nodes/text.py", "import backends.tokens", "Imports flow one way"),
        ("backends/tokens.py", "import graphs", "Imports flow one way"),
        ("graphs/corrective.py", "import scripts", "Imports flow one way"),
        ("nodes/text.py", "import langchain_core", "Nodes never import a client library"),
        ("prompts/loader.py", "import httpx", "Nodes never import a client library"),
    ],
)
def test_an_import_against_the_rules_fails_the_check(
    tmp_path: Path, module: str, line: str, broken: str
) -> None:
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("data"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as source:
        source.write(f"\n{line}\n")
    code = "import sys; sys.path.insert(0, '.'); from importlinter.cli import lint_imports_command"
    command = [sys.executable, "-c", f"{code}; lint_imports_command()", "--no-cache"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    assert f"{broken} BROKEN" in done.stdout


def test_help_lists_every_command_of_the_makefile() -> None:
    shown = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    [phony] = re.findall(r"^\.PHONY: (.*)$", read("Makefile"), re.M)
    assert set(re.findall(r"make ([a-z-]+)", shown.stdout)) == set(phony.split()) - {
        "dev",
        "runtime",
    }


def test_ci_and_pre_commit_call_the_makefile() -> None:
    targets = set(re.findall(r"^([a-z-]+):", read("Makefile"), re.M))
    for called in re.findall(
        r"\bmake (?:-\S+ )*([a-z-]+)", read(".ci/run") + read(".pre-commit-config.yaml")
    ):
        assert called in targets
