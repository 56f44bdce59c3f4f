"""What schemathesis is told about carnet: refusals that no schema can announce, each looked at, and what we check besides."""

import itertools
import json
import os
import re
import time
import urllib.error
import urllib.request

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, Failure
from schemathesis.openapi.checks import JsonSchemaError, RejectedPositiveData, UseAfterFree

# What any answer of any HTTP server may carry.
OF_HTTP = {"connection", "content-type", "content-length", "transfer-encoding", "date"}
# How many records of each collection there are at first.
RECORDS = 20
# How many parameters a query may have.
MOST_PARAMETERS = 64
# Operators that look at texts without case and accents, and what of ASCII means nothing to them.
OF_TEXT = {"lt", "lte", "gt", "gte", "folded", "prefix", "contains"}
IGNORED = "'`\t\n\v\f\r "
# What of the dates and times of JSON Schema is taken: no year 0, no leap second, no small letters, at most 6 digits.
TAKEN = re.compile(r"(?!0000)[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2}))?")
# The first and the last day: with an offset a moment may be of another year.
EDGES = {"0001-01-01", "9999-12-31"}
# What we take beyond the formats of JSON Schema, by the field that has it: any printable ASCII in a URL, also where
# RFC 3986 wants it escaped; an e-mail address as HTML has it, also with a dot first or a host of one word.
WIDER = {
    "site": re.compile(r"https?://[!-~]+"),
    "mail": re.compile(r"[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*"),
}
# What is said of a file, or of an option of its import, that no schema describes.
FAULTY = r"Nothing was stored; all of them: /_/imports/[0-9]+/$|^(match|map|fill|encoding|delimiter): |^(match|encoding|delimiter) is given twice"
# The name of the key that this run presents.
OWN_KEY = "fuzz"
# Every request is another one, but for those that keep the key of an example and so are repeats or conflicts.
KEYS = itertools.count(1)


@schemathesis.hook
def filter_case(context: schemathesis.HookContext, case: schemathesis.Case) -> bool:
    """The branch that we sit on stays."""
    return (case.path_parameters or {}).get("name") != OWN_KEY


@schemathesis.hook
def map_case(context: schemathesis.HookContext, case: schemathesis.Case) -> schemathesis.Case:
    """Makes two valid requests of three reach what they are about: generated ids hardly ever are those of records."""
    if case.meta and case.meta.generation.mode.is_positive and len(str(case.query)) % 3:
        case.query = together(dict(case.query or {}))
    if case.meta and case.meta.generation.mode.is_positive and len(str(case.path_parameters) + str(case.body)) % 3:
        if "If-Match" in (case.headers or {}):
            case.headers["If-Match"] = "*"
        if "Idempotency-Key" in (case.headers or {}):
            case.headers["Idempotency-Key"] = f"case-{next(KEYS)}"
        path = dict(case.path_parameters or {})
        if isinstance(case.body, dict):
            case.body = {name: reachable(case, name, value, path) for name, value in case.body.items()}
    return case


def together(query: dict) -> dict:
    """What of a query may stand in one request: a cursor that there is, one key, and not too many values."""
    if query.get("after"):
        query["after"] = ""
    excluded = ({"offset", "first"} if "after" in query else set()) | {"apikey"}
    query = {name: value for name, value in query.items() if name not in excluded}
    for name in [name for name, value in query.items() if not isinstance(value, list)]:
        if values(query) > MOST_PARAMETERS:
            del query[name]
    return query


def values(query: dict) -> int:
    return sum(len(value) if isinstance(value, list) else 1 for value in query.values())


def reachable(case: schemathesis.Case, name: str, value: object, path: dict) -> object:
    if name in path:
        return path[name]
    if name == "ressource_uri":
        return case.operation.path.replace("{id}", str(path["id"]))
    if "x-references" in fields(case).get(name, {}) and isinstance(value, int):
        return value % RECORDS + 1
    return value


@schemathesis.hook
def filter_failure(context: schemathesis.HookContext, failure: Failure, case: schemathesis.Case, response: schemathesis.Response) -> bool:
    """Keeps every failure but the refusals of valid data that the contract asks for, and parts of records."""
    if isinstance(failure, JsonSchemaError) and response.status_code == 200 and "fields" in (case.query or {}):
        # The schema is that of a whole record.
        return False
    if isinstance(failure, UseAfterFree) and response.request.method == "OPTIONS":
        # Which methods a path has does not depend on what is stored.
        return False
    if isinstance(failure, AcceptedNegativeData) and re.search("Value not matching the '(uri|email)' format", failure.message):
        # The format is narrower than the pattern beside it, which says all that is taken.
        return not all(WIDER[name].fullmatch(text) for name, text in formatted(case.body))
    return not (isinstance(failure, RejectedPositiveData) and is_right(case, response))


def formatted(body: object) -> list[tuple[str, str]]:
    """The values of a body that have a format, also of the items of a batch."""
    if isinstance(body, list):
        return [found for item in body for found in formatted(item)]
    if not isinstance(body, dict):
        return []
    given = [(name, body[name]) for name in WIDER if isinstance(body.get(name), str)]
    return given + [found for value in body.values() for found in formatted(value)]


@schemathesis.check
def no_undocumented_header(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Every header field of an answer is in the document."""
    described = case.operation.responses.find_by_status_code(response.status_code)
    if described is None:
        return
    known = OF_HTTP | {name.lower() for name, _ in described.headers.items()}
    others = sorted(name for name in response.headers if name not in known)
    assert not others, f"{response.status_code} carries {', '.join(others)}, which the document does not name"


@schemathesis.check
def an_error_has_the_one_shape(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """Whatever is refused, and also what the document does not mention: an object with the one member `error`."""
    if response.status_code < 400 or response.request.method == "HEAD":
        return
    body = json.loads(response.content)
    assert list(body) == ["error"] and isinstance(body["error"], str), response.content


def is_right(case: schemathesis.Case, response: schemathesis.Response) -> bool:
    """Whether carnet must refuse this request, although each part of it is what the schema says."""
    error = words(response)
    body = case.body if isinstance(case.body, dict) else {}
    if error.startswith("item "):
        return is_right_of_item(body, response.status_code, error)
    query = dict(case.query or {})
    if case.operation.path.startswith("/_/import/"):
        # A text is hardly ever a file without faults, nor an option a name of something.
        return response.status_code == 409 or response.status_code == 400 and re.search(FAULTY, error) is not None
    match response.status_code:
        case 412:
            return "if-match" in response.request.headers
        case 409:
            # Still referenced, or a name in use.
            return response.request.method == "DELETE" or "There is already an access key" in error
        case 422:
            return "idempotency-key" in response.request.headers and "was used for another request" in error
        case 400 if error.startswith("expires does not validate: write a time"):
            return "expires" in body
        case 400 if error.startswith("scopes does not validate: there is no collection"):
            # A pattern says what a scope looks like; which collections there are is in the paths.
            named = {scope.split(":")[0] for scope in body["scopes"]} - {"*"}
            return any(f"/{name}/" not in case.operation.schema.raw_schema["paths"] for name in named)
        case 400 if error.startswith("grace does not validate"):
            # No pattern can add up to 365 days.
            seconds = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400}
            return int(body["grace"][:-1]) * seconds[body["grace"][-1]] > 365 * 86_400
        case 429:
            return "retry-after" in response.headers
        case 400 if error.startswith("The query has more than "):
            return values(query) > MOST_PARAMETERS
        case 400 if len({"accesskey", "apikey"} & query.keys()) == 2:
            return error == "The access key is given twice. Send one, in one place"
        case 400 if error.startswith("after and "):
            return "after" in query and bool({"offset", "first"} & query.keys())
        case 400 if error == "after does not validate":
            # A pattern says what a cursor looks like; which there are only the server knows.
            return bool(query["after"])
        case 400 if error.endswith(" is named twice"):
            names = [name.lstrip("-") for name in query[error.split(" ")[0]].split(",")]
            return len(set(names)) < len(names)
        case 400 if error.split(" ")[0].rpartition(".")[2] in OF_TEXT and error.split(" ")[0] in query:
            # What is left of a text without accents, apostrophes and white space at its ends, and how long that is.
            text = str(query[error.split(" ")[0]])
            return not text.isascii() or not text.strip(IGNORED)
        case 400 if error.startswith("search does not validate: it has 1 to 8 words"):
            # What is a word beyond ASCII no pattern says.
            text = str(query["search"])
            return not text.isascii() or not 1 <= len(re.findall("[0-9A-Za-z]+", text)) <= 8
        case 400 if error.endswith((" must be unique", " must be unique together")):
            return set(error.split(" ")[0].split(",")) <= fields(case).keys()
        case 400 if error.endswith(" cannot be changed"):
            # Their value must be the record's own.
            return error.split(" ")[0] in {"id", "ressource_uri"} & body.keys()
        case 400 if " does not validate: it is a " in error and error.endswith(("1815-12-10", "2027-01-31T12:00:00Z")):
            name = error.split(" ")[0]
            given = body.get(name, query.get(name))
            return any(is_beyond(text) for text in (given if isinstance(given, list) else [given]))
        case 400 if error.endswith(" does not validate"):
            name = error.split(" ")[0]
            if isinstance(body.get(name), float):
                # JSON Schema counts 45.0 among the integers. We do not.
                return "integer" in types(fields(case)[name])
            target = fields(case).get(name, {}).get("x-references")
            return target is not None and not exists(case, f"/{target}/{body.get(name)}/")
    return False


def is_beyond(text: object) -> bool:
    """Whether it is a date or a time to JSON Schema, and none to us."""
    return not TAKEN.fullmatch(str(text)) or str(text)[:10] in EDGES


def is_right_of_item(batch: dict, status: int, error: str) -> bool:
    """The same for an item of a batch: what its schema cannot say is which items there are before it, and which records."""
    number, _, error = error.removeprefix("item ").partition(": ")
    item = batch["requests"][int(number)]
    name = error.split(" ")[0]
    match status:
        case 409:
            return item["method"] == "DELETE"
        case 412:
            return "if_match" in item or "if_none_match" in item
        case 429:
            return True
        case 400 if "is not an earlier item that creates a record of" in error:
            return name == "path" or item["body"][name].startswith("$")
        case 400 if error.endswith((" must be unique", " must be unique together")):
            return item["method"] != "DELETE"
        case 400 if " has no value, and records are found by " in error:
            return item["method"] == "PUT" and item["body"].get(name) is None
        case 400 if " does not validate: it is a " in error and error.endswith(("1815-12-10", "2027-01-31T12:00:00Z")):
            return is_beyond(item["body"][name])
        case 400 if error.endswith((" cannot be changed", " does not validate")):
            # The record's own id; a reference to nothing; 45.0.
            return isinstance(item["body"][name], int | float | str)
    return False


def words(response: schemathesis.Response) -> str:
    """Why a request was refused; where the answer has no body, the words for the same request by GET."""
    if response.request.method != "HEAD":
        return json.loads(response.content)["error"]
    presented = {name: value for name, value in response.request.headers.items() if name.lower() == "authorization"}
    request = urllib.request.Request(response.request.url, headers=presented)
    try:
        with urllib.request.urlopen(request):
            return ""
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 429:
                time.sleep(int(error.headers["Retry-After"]))
                return words(response)
            return json.loads(error.read())["error"]


def fields(case: schemathesis.Case) -> dict:
    """The members that the body may have, as the document says."""
    schemas = case.operation.schema.raw_schema["components"]["schemas"]
    collection = case.operation.path.split("/")[1]
    return schemas.get(f"{collection}-update", schemas.get(f"{collection}-create", {})).get("properties", {})


def types(schema: dict) -> list[str]:
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else kind


def exists(case: schemathesis.Case, path: str) -> bool:
    """Asks again: what was said to refer to nothing must be nothing."""
    request = urllib.request.Request(
        os.environ["CARNET_URL"] + path, headers={"Authorization": f"Bearer {os.environ['CARNET_KEY']}"}
    )
    try:
        with urllib.request.urlopen(request):
            return True
    except urllib.error.HTTPError as error:
        error.close()
        return error.code != 404
