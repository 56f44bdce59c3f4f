"""schemathesis against the running server, on both engines at once: every check it has, by a seed, and ours.

    fuzz.py [--long] [--sqlite]      two minutes; seven with --long; on SQLite alone
"""

import os
import pathlib
import subprocess
import sys
from contextlib import ExitStack

from configurations import EVERYTHING
from hooks import OWN_KEY, RECORDS
from server import Postgres, Server

HERE = pathlib.Path(__file__).resolve().parent
SEED = 20261115
# How many examples of each operation; how many sequences of operations follow from it.
EXAMPLES, LONG = 12, 150
# Every limit of every parameter, one by one ("coverage"), is most of the time, and what it meets is the check of requests,
# which knows no engine: once is enough, unless there is time.
ALL, FEWER = "examples,coverage,fuzzing,stateful", "examples,fuzzing,stateful"
# What is there at first, so that generated references may hit.
FIRST = {
    "address": lambda number: {"country": "France", "city": "Paris", "street": "quai", "number": number},
    "things": lambda number: {"title": f"Thing {number}", "size": number, "weight": 1.5, "done": True},
    "vault": lambda number: {"title": f"Vault {number}"},
    "users": lambda number: {"first_name": "First", "last_name": f"Last {number}", "address": number},
    "parts": lambda number: {"thing": number},
}


def start(server: Server, examples: int, phases: str) -> subprocess.Popen[str]:
    key = server.create_key(OWN_KEY, "--admin")
    for collection, record in FIRST.items():
        for number in range(1, RECORDS + 1):
            server.create(f"/{collection}/", record(number), key)
    command = [
        sys.executable, "-m", "schemathesis.cli", "--config-file", str(HERE / "schemathesis.toml"), "--no-color", "run",
        f"{server.url}/openapi.json", "--checks", "all", "--seed", str(SEED), "--max-examples", str(examples),
        "--phases", phases, "--generation-database", "none",
    ]
    environment = os.environ | {"CARNET_KEY": key, "CARNET_URL": server.url, "PYTHONPATH": str(HERE)}
    return subprocess.Popen(
        command, env=environment, cwd=server.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )


def main(arguments: list[str]) -> bool:
    is_long = "--long" in arguments
    examples = LONG if is_long else EXAMPLES
    with ExitStack() as stack:
        databases: dict[str, str | None] = {"SQLite": None}
        if "--sqlite" not in arguments:
            databases["PostgreSQL"] = stack.enter_context(Postgres())
        servers = {name: stack.enter_context(Server(EVERYTHING, database)) for name, database in databases.items()}
        runs = {name: start(server, examples, ALL if is_long or name == "SQLite" else FEWER) for name, server in servers.items()}
        all_hold = True
        for name, run in runs.items():
            said, _ = run.communicate()
            holds = run.returncode == 0
            all_hold = all_hold and holds
            print(f"{'ok    ' if holds else 'FAILED'} {name}: {said.strip().splitlines()[-1].strip(' =') if holds else said}")
            for line in servers[name].words().splitlines():
                if '"level":"error"' in line:
                    all_hold = False
                    print(f"FAILED {name} logged {line}")
    return all_hold


if __name__ == "__main__":
    sys.exit(0 if main(sys.argv[1:]) else 1)
