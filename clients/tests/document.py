"""Whether `/openapi.json` is OpenAPI 3.1, of every configuration, in the words of a validator that is not ours."""

import json
import subprocess

from configurations import ALL
from openapi_spec_validator import OpenAPIV31SpecValidator
from server import BINARY, Server


def faults(document: dict) -> list[str]:
    return [f"{'/'.join(map(str, error.absolute_path))}: {error.message}" for error in OpenAPIV31SpecValidator(document).iter_errors()]


for name, config in ALL.items():
    with Server(config) as server:
        document = server.document()
        printed = subprocess.run([BINARY, "openapi"], cwd=server.folder, check=True, capture_output=True, text=True).stdout
    assert document["openapi"].startswith("3.1."), document["openapi"]
    assert json.loads(printed) == document, f"{name}: carnet openapi prints another document"
    found = faults(document)
    assert not found, f"{name}:\n" + "\n".join(found)
    print(f"ok     {name}: {len(document['paths'])} paths")

# The validator sees something at all.
del document["info"]["version"]
assert faults(document), "the validator finds nothing in a broken document"
