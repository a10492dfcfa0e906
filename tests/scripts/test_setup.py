"""The set-up behind every make target, with stand-ins for Python and uv."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TOOLS = ("cat", "cksum", "cp", "cut", "dirname", "ln", "mkdir", "rm", "sh")
UV = """#!/bin/sh
[ "$1" = --version ] && exit
echo "$*" >>calls
if [ "$1" = venv ]; then mkdir -p .venv/bin && ln -s "$4" .venv/bin/python; fi
"""
SHIM = "#!/bin/sh\necho 'the shim cannot find it' >&2\nexit 127\n"
OLD = '#!/bin/sh\ncase "$2" in *version_info*) exit 1 ;; esac\n'


class Machine:
    """A checkout on a machine with a few tools on its PATH and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.checkout = folder / "a checkout"
        self.bin = folder / "bin"
        self.bin.mkdir()
        (self.checkout / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts" / "setup.sh", self.checkout / "scripts")
        for name in ("pyproject.toml", "constraints.txt"):
            (self.checkout / name).write_text(name)
        for tool in TOOLS:
            (self.bin / tool).symlink_to(str(shutil.which(tool)))

    def has(self, name: str, script: str) -> None:
        (self.bin / name).write_text(script)
        (self.bin / name).chmod(0o755)

    def has_python(self, name: str = "python3") -> None:
        self.has(name, f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')

    def run(self, level: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = [str(self.bin / "sh"), "scripts/setup.sh", level]
        variables = {"PATH": str(self.bin), **environment}
        return subprocess.run(
            command, cwd=self.checkout, env=variables, capture_output=True, text=True
        )

    @property
    def installed(self) -> list[str]:
        """What was installed, in order."""
        calls = (self.checkout / "calls").read_text().splitlines()
        return [call.rpartition(" ")[2] for call in calls if call.startswith("pip install")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with Python and uv."""
    machine = Machine(tmp_path)
    machine.has("uv", UV)
    machine.has_python()
    return machine


def test_a_second_run_does_not_install(machine: Machine) -> None:
    first, second = machine.run("runtime"), machine.run("runtime")
    assert (first.returncode, second.returncode) == (0, 0), first.stderr
    assert "Installing (runtime)" in first.stdout
    assert (second.stdout, second.stderr) == ("", "")
    assert machine.installed == ["."]


@pytest.mark.parametrize("name", ["pyproject.toml", "constraints.txt"])
def test_a_changed_list_of_dependencies_is_installed(machine: Machine, name: str) -> None:
    machine.run("dev")
    (machine.checkout / name).write_text("changed")
    assert machine.run("dev").returncode == 0
    assert machine.installed == [".[dev]", ".[dev]"]


def test_development_adds_to_the_runtime_and_contains_it(machine: Machine) -> None:
    for level in ("runtime", "dev", "runtime", "dev"):
        assert machine.run(level).returncode == 0
    assert machine.installed == [".", ".[dev]"]


def test_a_change_keeps_what_development_needs(machine: Machine) -> None:
    machine.run("dev")
    (machine.checkout / "constraints.txt").write_text("changed")
    machine.run("runtime")
    assert machine.installed == [".[dev]", ".[dev]"]


def test_a_checkout_that_was_moved_is_installed_again(machine: Machine) -> None:
    machine.run("dev")
    machine.checkout = machine.checkout.rename(machine.checkout.with_name("elsewhere"))
    machine.run("dev")
    assert len(machine.installed) == 2


def test_an_environment_whose_python_is_gone_is_made_again(machine: Machine) -> None:
    machine.run("dev")
    (machine.checkout / ".venv" / "bin" / "python").unlink()
    (machine.checkout / ".venv" / "bin" / "python").symlink_to("/nowhere/python")
    assert machine.run("dev").returncode == 0
    assert (machine.checkout / ".venv" / "bin" / "python").exists()


def test_an_installation_that_failed_is_tried_again(machine: Machine) -> None:
    machine.has("uv", UV + '[ "$1" != pip ]\n')
    assert machine.run("dev").returncode != 0
    machine.has("uv", UV)
    assert machine.run("dev").returncode == 0
    assert "Installing" not in machine.run("dev").stdout


def test_interpreters_that_do_not_run_or_are_too_old_are_passed_over(machine: Machine) -> None:
    machine.has("python3.13", SHIM)
    machine.has("python3.12", OLD)
    assert machine.run("runtime").returncode == 0


def test_without_a_python_it_says_what_to_do(machine: Machine) -> None:
    machine.has("python3", OLD)
    done = machine.run("runtime")
    assert done.returncode == 1
    assert "no Python of 3.11 or later" in done.stderr
    assert "make PYTHON=/path/to/python3" in done.stderr
    assert not (machine.checkout / ".venv").exists()


def test_a_named_python_that_does_not_work_is_an_error_of_its_own(machine: Machine) -> None:
    done = machine.run("runtime", PYTHON="python3.99")
    assert done.returncode == 1
    assert "PYTHON=python3.99 is no working Python" in done.stderr


@pytest.mark.parametrize("without", ["uv that fails", "empty UV"])
def test_without_uv_it_installs_with_pip(machine: Machine, without: str) -> None:
    recorder = f"""#!/bin/sh
case "$*" in
    "-m venv .venv") mkdir -p .venv/bin && cp "$0" .venv/bin/python ;;
    "-m pip --version") ;;
    "-m pip install"*) echo "pip install with $PIP_CONSTRAINT $3 $5 $6" >>calls ;;
    *sys.executable*) echo "$0" ;;
    *) exec "{sys.executable}" "$@" ;;
esac
"""
    machine.has("python3", recorder)
    machine.has("uv", SHIM if without == "uv that fails" else UV)
    environment = {"UV": ""} if without == "empty UV" else {}
    done = machine.run("dev", **environment)
    assert done.returncode == 0, done.stderr
    assert "with pip" in done.stdout
    assert machine.installed == [".[dev]"]
