"""A terminal of 80 columns for tests: what a person would see and type."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
_PATIENCE = 40


class Terminal:
    """Runs a command on a terminal of its own.

    Attributes:
        raw: Everything that was written to it.
    """

    def __init__(self, command: list[str], env: dict[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        self._child = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=env, start_new_session=True
        )
        os.close(slave)
        self.raw = ""

    @property
    def text(self) -> str:
        """What was written, without colours and movements."""
        return _CONTROL.sub("", self.raw)

    def wait_for(self, wanted: str) -> None:
        """Read until a text was written."""
        end = time.monotonic() + _PATIENCE
        while wanted not in self.text:
            assert self._read(end), f"{wanted!r} was not written: {self.text}"

    def type(self, keys: str) -> None:
        """Type something."""
        os.write(self._master, keys.encode())

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self._child.send_signal(signal.SIGINT)

    def finish(self) -> int:
        """Read to the end and return the exit code."""
        end = time.monotonic() + _PATIENCE
        while self._read(end):
            pass
        return self._child.wait(timeout=_PATIENCE)

    def close(self) -> None:
        """End the command if it has not ended."""
        if self._child.poll() is None:
            self._child.kill()
            self._child.wait()
        os.close(self._master)

    def _read(self, end: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, end - time.monotonic()))
        try:
            data = os.read(self._master, 65536) if ready else b""
        except OSError:  # Linux says so when the other side was closed
            data = b""
        self.raw += data.decode("utf-8", "replace")
        return bool(data)
