import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from scripts import runs
from scripts.commands import app
from tests.scripts.kettle import Kettle

ROOT = Path(__file__).parents[2]


@pytest.fixture
def kettle(monkeypatch):
    """Backends that answer about a kettle, in place of the settings' own."""
    found = Kettle()
    monkeypatch.setattr(runs, "make_backends", found.backends)
    return found


@pytest.fixture
def crag():
    """Run a command in this process: ``crag("ask", "…").stdout``."""

    def run(*args, **options):
        return CliRunner().invoke(app, [str(arg) for arg in args], **options)

    return run


@pytest.fixture
def process():
    """Start a command as a process of its own, with the backends of the kettle."""
    started = []

    def start(*args, module="tests.scripts.kettle", **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        env = {**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})}
        command = [sys.executable, "-m", module, *map(str, args)]
        child = subprocess.Popen(command, env=env, **options)
        started.append(child)
        return child

    yield start
    for child in started:
        if child.poll() is None:
            child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream:
                stream.close()
