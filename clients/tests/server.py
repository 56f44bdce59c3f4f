"""The real binary in a folder of its own, and PostgreSQL for it where that is wanted."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BINARY = os.environ.get("CARNET", str(TARGET / "debug" / "carnet"))
# How long a start or a stop may take before it is given up. Nothing is asserted about it.
PATIENCE = 30

# Who is told to end leaves no server behind.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


class Server:
    """A server with this configuration, or the built-in one; it goes with the `with` that made it."""

    def __init__(self, config: str | None = None, database: str | None = None):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="carnet-clients-"))
        if config:
            (self.folder / "carnet.toml").write_text(config)
        self.database = ["--database", database] if database else []

    def __enter__(self) -> "Server":
        self.log = open(self.folder / "log", "w+b")
        self.process = subprocess.Popen(
            [BINARY, "serve", "--listen", "127.0.0.1:0", *self.database],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=self.log, text=True,
        )
        assert self.process.stdout
        said = self.process.stdout.readline()
        if not said.startswith("carnet listening on "):
            self.process.wait(PATIENCE)
            raise SystemExit(f"{BINARY} did not start:\n{self.words()}")
        self.url = said.removeprefix("carnet listening on ").strip()
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)
        self.log.close()
        shutil.rmtree(self.folder)

    def words(self) -> str:
        return (self.folder / "log").read_text()

    def create_key(self, *words: str) -> str:
        """Makes a key beside the server, and waits until it is known there."""
        command = [BINARY, "keys", "create", *words, *self.database]
        key = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()
        until = time.monotonic() + PATIENCE
        # Known and not allowed is 403; unknown is 401.
        while self.status("/_/keys/", {"X-API-Key": key}) == 401:
            if time.monotonic() > until:
                raise SystemExit("the server does not follow a new key")
            time.sleep(0.05)
        return key

    def status(self, path: str, headers: dict[str, str]) -> int:
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, headers=headers)) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            error.close()
            return error.code

    def create(self, path: str, record: dict, key: str) -> None:
        headers = {"X-API-Key": key, "Content-Type": "application/json"}
        request = urllib.request.Request(self.url + path, json.dumps(record).encode(), headers)
        urllib.request.urlopen(request).close()

    def document(self) -> dict:
        with urllib.request.urlopen(f"{self.url}/openapi.json") as answer:
            return json.load(answer)


class Postgres:
    """A PostgreSQL server of our own; it goes with the `with` that made it."""

    def __enter__(self) -> str:
        self.folder = tempfile.mkdtemp(prefix="carnet-pg-")
        return self.cluster("start").stdout.strip()

    def __exit__(self, *_: object) -> None:
        self.cluster("stop")

    def cluster(self, act: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [ROOT / "tests" / "postgres-cluster", act, self.folder], check=True, stdout=subprocess.PIPE, text=True
        )
