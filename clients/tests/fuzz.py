"""schemathesis against running servers, all at once: every check it has, by a seed, and ours.

    fuzz.py [--long] [--sqlite]      two minutes; seven with --long; on SQLite alone
"""

import os
import pathlib
import signal
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
# Every limit of every parameter, one by one, is most of the time, and what it meets is the check of requests, which knows
# no engine: once is enough, unless there is time.
LIMITS, OTHERS = "coverage", "examples,fuzzing,stateful"
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
    # Told to end, it ends what it has started.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    is_long = "--long" in arguments
    examples = LONG if is_long else EXAMPLES
    with ExitStack() as stack:
        database = None if "--sqlite" in arguments else stack.enter_context(Postgres())
        # What is looked at, where, and the phases of schemathesis.
        looks = [("SQLite", None, OTHERS), ("SQLite, every limit", None, LIMITS)]
        if database:
            looks.append(("PostgreSQL", database, f"{OTHERS},{LIMITS}" if is_long else OTHERS))
        servers = {name: stack.enter_context(Server(EVERYTHING, url)) for name, url, _ in looks}
        runs = {name: start(servers[name], examples, phases) for name, _, phases in looks}
        for run in runs.values():
            stack.callback(run.kill)
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
