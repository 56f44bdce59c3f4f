"""The Python client: generated from a running server, checked strictly by mypy, and used."""

import os
import pathlib
import shutil
import subprocess
import sys

from configurations import GUARDED_BOOK
from server import ROOT, TARGET, Server

HOME = ROOT / "clients" / "python"
# The generated package stands outside the repository.
BUILD = TARGET / "clients" / "generated"
BIN = pathlib.Path(sys.executable).parent


def run(*words: str | pathlib.Path) -> str:
    # The generator calls ruff.
    environment = os.environ | {"PYTHONPATH": str(BUILD), "MYPYPATH": str(BUILD), "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=environment, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]} failed:\n{done.stdout}")
    return done.stdout


shutil.rmtree(BUILD, ignore_errors=True)
BUILD.mkdir(parents=True)
with Server(GUARDED_BOOK) as server:
    key = server.create_key("clerk")
    said = run(
        BIN / "openapi-python-client", "generate", "--url", f"{server.url}/openapi.json", "--config", "generator.yaml",
        "--meta", "none", "--output-path", BUILD / "carnet_client", "--fail-on-warning",
    )
    # All that was made from the document; `client.py` is the generator's own, the same for everybody.
    made = [BUILD / "carnet_client" / part for part in ("models", "api")]
    run(BIN / "mypy", "--strict", "--follow-imports", "silent", "--cache-dir", BUILD / "mypy", "address_book.py", *made)
    print(run(sys.executable, "address_book.py", server.url, key), end="")
