"""The Python client: generated from a running server, checked strictly by mypy, and used."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from configurations import GUARDED_BOOK, LOOKALIKES
from server import ROOT, TARGET, Server

HOME = ROOT / "clients" / "python"
# The generated package stands outside the repository.
BUILD = TARGET / "clients" / "generated"
BIN = pathlib.Path(sys.executable).parent
# All that the generator may say: what it does, and that it leaves imports out.
EXPECTED = re.compile(
    "Generating |Warning\\(s\\) encountered|WARNING parsing POST /_/import/|Unsupported content type text/|If you believe this"
)


def run(*words: str | pathlib.Path) -> str:
    # The generator calls ruff.
    environment = os.environ | {"PYTHONPATH": str(BUILD), "MYPYPATH": str(BUILD), "PATH": f"{BIN}:{os.environ['PATH']}"}
    done = subprocess.run(words, env=environment, cwd=HOME, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{words[0]} failed:\n{done.stdout}")
    return done.stdout


def generate(server: Server, package: str) -> pathlib.Path:
    said = run(
        BIN / "openapi-python-client", "generate", "--url", f"{server.url}/openapi.json", "--config", "generator.yaml",
        "--meta", "none", "--output-path", BUILD / package, "--overwrite",
    )
    # It knows no bodies that are text: clients/python/README.md says how files are imported.
    others = [line for line in said.splitlines() if line.strip() and not EXPECTED.match(line)]
    assert not others, said
    return BUILD / package


def the_address_book() -> None:
    with Server(GUARDED_BOOK) as server:
        key = server.create_key("clerk")
        package = generate(server, "carnet_client")
        # All that was made from the document; `client.py` is the generator's own, the same for everybody.
        made = [package / part for part in ("models", "api")]
        run(BIN / "mypy", "--strict", "--follow-imports", "silent", "--cache-dir", BUILD / "mypy", "address_book.py", *made)
        print(run(sys.executable, "address_book.py", server.url, key), end="")


def names_without_dots() -> None:
    """The generator writes `size.lt` as `size_lt`; `docs/clients.md` says what becomes of a field of that name."""
    use = "from lookalikes.api.things import list_things; print(list_things._get_kwargs({})['params'])"
    with Server(LOOKALIKES) as server:
        generate(server, "lookalikes")
    for words, sent in {"size_lt=5": "size_lt", "sizelt=5": "size.lt", "field_sort='-sort'": "_sort", "size_gte=5": "size.gte"}.items():
        params = run(sys.executable, "-c", use.format(words))
        assert f"'{sent}': " in params, f"{words} is sent as {params}"
    with Server(LOOKALIKES.replace("size_lt ", "sizelt = { type = \"integer\" }\nsize_lt ")) as server:
        package = generate(server, "lookalikes")
    made = (package / "api" / "things" / "list_things.py").read_text()
    try:
        compile(made, "list_things.py", "exec")
    except SyntaxError as error:
        assert "duplicate argument 'sizelt'" in str(error), error
    else:
        raise AssertionError("the generator tells three names apart: docs/clients.md may say so")
    print("A dot is an underscore.")


shutil.rmtree(BUILD, ignore_errors=True)
BUILD.mkdir(parents=True)
the_address_book()
names_without_dots()
