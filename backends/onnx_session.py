"""ONNX Runtime, kept from calling home."""

import os
from pathlib import Path
from typing import Any


def open_session(model: str | Path, *, threads: int = 0) -> Any:
    """Open a model for the CPU; it says only errors, and sends nothing anywhere.

    The wheels of onnxruntime 1.32 report to their maker when a session opens. This variable
    keeps them from it if it is set before the import; ``disable_telemetry_events()`` does not.

    Args:
        model: Path of an ``.onnx`` file.
        threads: Threads that one run uses; 0 leaves it to the library.
    """
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = threads
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
