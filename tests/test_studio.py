"""LangGraph Studio's server, the real one, on the real ``langgraph.json``."""

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import httpx
import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from graphs import NAMES, load
from nodes.web import REFUSED
from state.outcome import Outcome, Status
from tests.conftest import is_personal

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ROOT = Path(__file__).parent.parent
QUESTION = "How long may a kayak be borrowed?"
DOCUMENTS = {
    "boats.md": "# Boats\n\nA kayak may be borrowed for three days. A canoe may be borrowed for "
    "a week, and only with two paddlers.\n",
    "huts.md": "# Huts\n\nThe hut on the northern shore sleeps eight people and has no stove.\n",
    "fees.md": "# Fees\n\nMembers pay forty crowns a year. Guests pay ten crowns a day.\n",
}
STARTING = 90.0
"""Seconds: importing takes two on a quiet machine."""
QUIET = {
    "LANGGRAPH_CLI_NO_ANALYTICS": "1",
    "LANGGRAPH_NO_VERSION_CHECK": "true",
    "LANGSMITH_TRACING": "false",
}
"""The server asks the outside for nothing with these; it needs no key and no licence."""


@dataclass
class Server:
    """A running Agent Server.

    Attributes:
        process: The server's process.
        url: Where it listens, on the loopback interface.
        log: What it wrote.
    """

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def wait_until_ready(self) -> None:
        """Wait for its health check, no longer than the deadline."""
        deadline = time.monotonic() + STARTING
        while self.process.poll() is None and time.monotonic() < deadline:
            with contextlib.suppress(httpx.TransportError):
                if httpx.get(f"{self.url}/ok").is_success:
                    return
            time.sleep(0.1)
        pytest.fail(f"The server did not start:\n{self.log.read_text()[-4000:]}")

    def stop(self) -> None:
        """Ask it to stop; fail when it does not, or leaves something that listens."""
        self.process.terminate()
        self.process.wait(30)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{self.url}/ok")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Lay out a checkout with an index and a ``.env`` of its own."""
    folder = tmp_path_factory.mktemp("project")
    shutil.copy(ROOT / "langgraph.json", folder)
    (folder / "graphs").symlink_to(ROOT / "graphs")
    (folder / ".env").write_text(f"CRAG_INDEX_PATH={folder / 'index'}\n")
    (folder / "documents").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "documents" / name).write_text(text)
    ingest = [str(Path(sys.executable).with_name("crag")), "ingest", "documents"]
    done = subprocess.run(ingest, cwd=folder, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "index").is_dir()
    return folder


@pytest.fixture(scope="module")
def server(project: Path) -> Iterator[Server]:
    """Start the server as ``make studio`` does, without a browser."""
    port = free_port()
    log = project / "server.log"
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [*command, "--port", str(port)],
            cwd=project,
            env={**environment(), **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    running = Server(process, f"http://127.0.0.1:{port}", log)
    try:
        running.wait_until_ready()
        yield running
        running.stop()
    finally:
        process.kill()
        process.wait(30)


@pytest.fixture
def client(server: Server) -> Iterator[SyncLangGraphClient]:
    """A client of the server."""
    with get_sync_client(url=server.url) as client:
        yield client


def environment() -> dict[str, str]:
    """Return the environment without keys, proxies and settings of the person at work."""
    return {name: value for name, value in os.environ.items() if not is_personal(name)}


def free_port() -> int:
    """Return a port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def assistant(client: SyncLangGraphClient, name: str) -> str:
    """Return the id of a graph's assistant."""
    [found] = client.assistants.search(graph_id=name)
    return str(found["assistant_id"])


def run(client: SyncLangGraphClient, name: str, thread: str, **arguments: Any) -> list[Any]:
    """Stream a run and return its parts."""
    modes = ["updates", "custom", "values"]
    return list(client.runs.stream(thread, name, stream_mode=modes, **arguments))


def of_mode(parts: list[Any], mode: str) -> list[Any]:
    """Return the data of one stream mode; fail when the run failed."""
    errors = [part.data for part in parts if part.event == "error"]
    assert not errors, errors
    return [part.data for part in parts if part.event == mode]


def test_every_graph_is_served(client: SyncLangGraphClient) -> None:
    served = {found["graph_id"] for found in client.assistants.search(limit=100)}
    listed = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    assert served == set(listed) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_schemas_describe_input_output_and_parameters(
    client: SyncLangGraphClient, name: str
) -> None:
    schemas = client.assistants.get_schemas(assistant(client, name))
    assert schemas["input_schema"]["required"] == ["question"]
    assert set(Outcome.__annotations__) <= set(schemas["output_schema"]["properties"])
    wanted = load(name).Context.model_json_schema()["properties"]
    assert schemas["context_schema"]["properties"] == wanted
    assert all(parameter["description"] for parameter in wanted.values())


@pytest.mark.parametrize("name", NAMES)
def test_the_drawing_is_the_graph(client: SyncLangGraphClient, name: str) -> None:
    shown = client.assistants.get_graph(assistant(client, name))
    drawn = load(name).graph.get_graph()
    assert {node["id"] for node in shown["nodes"]} == set(drawn.nodes)
    edges = {(edge["source"], edge["target"]) for edge in shown["edges"]}
    assert edges == {(edge.source, edge.target) for edge in drawn.edges}


@pytest.mark.parametrize("name", NAMES)
def test_a_run_shows_its_steps_and_its_calls(client: SyncLangGraphClient, name: str) -> None:
    thread = client.threads.create()["thread_id"]
    parts = run(client, name, thread, input={"question": QUESTION})
    updates = [update for step in of_mode(parts, "updates") for update in step.values() if update]
    assert any(update.get("documents") for update in updates)
    receipts = [event for event in of_mode(parts, "custom") if event.get("type") == "receipt"]
    assert {receipt["outcome"] for receipt in receipts} == {"ok"}
    outcome = of_mode(parts, "values")[-1]
    assert outcome["question"] == QUESTION
    assert outcome["status"] in get_args(Status)
    assert outcome["stop_reason"]


def test_a_corrective_run_shows_documents_grades_and_checks(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    parts = run(client, "corrective", thread, input={"question": QUESTION}, context={"top_k": 3})
    steps = of_mode(parts, "updates")
    retrieved = [step["retrieve"]["documents"] for step in steps if "retrieve" in step]
    assert [len(documents) for documents in retrieved] == [3]
    grades = [grade for step in steps if "grade" in step for grade in step["grade"]["grades"]]
    assert len(grades) == 3
    assert all(grade["reason"] for grade in grades)
    outcome = of_mode(parts, "values")[-1]
    assert outcome["status"] == "answered"
    assert "three days" in outcome["answer"]
    assert [citation["source"].endswith("boats.md") for citation in outcome["citations"]] == [True]


def test_a_parameter_out_of_bounds_is_refused_by_name(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    parts = run(client, "corrective", thread, input={"question": "?"}, context={"top_k": 0})
    [error] = [part.data for part in parts if part.event == "error"]
    assert "top_k" in error["message"]
    assert "greater than or equal to 1" in error["message"]


@pytest.mark.parametrize("error", ["ConfigError", "IndexFailed", "ModelRejected"])
def test_what_an_error_says_is_shown(error: str) -> None:
    code = (
        "import sys; from langgraph_api.serde import default; from state import errors; "
        "print(default(getattr(errors, sys.argv[1])('Do this next.'))['message'])"
    )
    server = {"DATABASE_URI": ":memory:", "REDIS_URI": "fake", "LANGGRAPH_RUNTIME_EDITION": "inmem"}
    done = subprocess.run(
        [sys.executable, "-c", code, error],
        env={**environment(), **QUIET, **server},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "Do this next.\n", done.stderr


def test_a_run_waits_for_a_person_and_goes_on(client: SyncLangGraphClient) -> None:
    thread = client.threads.create()["thread_id"]
    question = {"question": "Which opera was first performed in Mantua in 1607?"}
    parts = run(client, "corrective", thread, input=question, context={"web_search": "ask"})
    steps = of_mode(parts, "updates")
    [[asked]] = [step["__interrupt__"] for step in steps if "__interrupt__" in step]
    assert asked["value"]["query"]
    refused = {"command": {"resume": "refuse"}, "context": {"web_search": "ask"}}
    parts = run(client, "corrective", thread, **refused)
    outcome = of_mode(parts, "values")[-1]
    assert outcome["status"] == "not_found"
    assert outcome["stop_reason"] == REFUSED
