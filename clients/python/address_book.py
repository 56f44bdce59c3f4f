"""An address book by a generated client: every parameter, body and answer below is checked by mypy.

    python address_book.py http://127.0.0.1:8080 ACCESS_KEY
"""

import re
import sys

from carnet_client import AuthenticatedClient, Client
from carnet_client.api.address import create_address, delete_address, list_address
from carnet_client.api.batches import write_batch
from carnet_client.api.users import create_users, delete_users, fetch_users, list_users, update_users
from carnet_client.models import (
    AddressCreate, AddressEnvelope, AddressItemCreate, AddressItemDelete, Batch, BatchResults, Error, UsersCreate, UsersCreateInBatch,
    UsersEnvelope, UsersItemCreate, UsersItemDelete, UsersRecord, UsersUpdate,
)
from carnet_client.types import UNSET


def main(url: str, key: str) -> None:
    with AuthenticatedClient(base_url=url, token=key) as carnet:
        book(carnet)
    with Client(base_url=url) as stranger:
        assert list_users.sync_detailed(client=stranger).status_code == 401  # type: ignore[arg-type]


def id_of(location: str) -> int:
    """Where the server says that a new record is: an address does not show its id."""
    return int(location.rstrip("/").rsplit("/", 1)[1])


def create_home(carnet: AuthenticatedClient, number: int) -> int:
    body = AddressCreate(country="France", city="Paris", street="quai de Valmy", number=number)
    return id_of(create_address.sync_detailed(client=carnet, body=body).headers["Location"])


def create(carnet: AuthenticatedClient, first_name: str, last_name: str, address: int | None) -> int:
    body = UsersCreate(first_name=first_name, last_name=last_name, address=address)
    answer = create_users.sync_detailed(client=carnet, body=body)
    if isinstance(answer.parsed, Error):
        raise ValueError(answer.parsed.error)
    return id_of(answer.headers["Location"])


def page(carnet: AuthenticatedClient, offset: int) -> UsersEnvelope:
    found = list_users.sync(client=carnet, offset=offset, count=10)
    assert isinstance(found, UsersEnvelope), found
    return found


def page_after(carnet: AuthenticatedClient, cursor: str) -> tuple[list[UsersRecord], str | None]:
    """A page in the order of names, and the cursor of the next one, which `Link` has while records follow."""
    # Without UNSET the generated code sends `offset=0`, which a cursor excludes.
    by_name = "-last_name,first_name"
    answer = list_users.sync_detailed(client=carnet, sort=by_name, after=cursor, offset=UNSET, count=10)
    assert isinstance(answer.parsed, UsersEnvelope), answer.parsed
    following = re.search(r'[?&]after=([^&>]*)[^>]*>; rel="next"', answer.headers.get("Link", ""))
    return answer.parsed.object_list, following and following[1]


def book(carnet: AuthenticatedClient) -> None:
    address, *_ = [create_home(carnet, number) for number in (45, 44, 46, 100)]
    for number in range(1, 26):
        create(carnet, f"First{number}", "Odd" if number % 2 else "Even", address if number % 5 else None)

    # Page by page, to the end.
    found: list[UsersRecord] = []
    while len(found) < (envelope := page(carnet, len(found))).meta.total_count:
        found += envelope.object_list
    assert [user.first_name for user in found] == [f"First{number}" for number in range(1, 26)]

    # Filters. The empty text asks for those without a value.
    odd = list_users.sync(client=carnet, last_name="Odd", address=address)
    assert isinstance(odd, UsersEnvelope) and odd.meta.total_count == 10
    homeless = list_users.sync(client=carnet, address="")
    assert isinstance(homeless, UsersEnvelope) and homeless.meta.total_count == 5

    # Operators are behind a dot, which is an underscore here: `number.gte` of the document is `number_gte`.
    near = list_address.sync(client=carnet, number_gte=44, number_lt=47, sort="-number")
    assert isinstance(near, AddressEnvelope) and [home.number for home in near.object_list] == [46, 45, 44]
    some = list_users.sync(client=carnet, first_name_in=["First7", "First3", "Nobody, or so"], sort="first_name")
    assert isinstance(some, UsersEnvelope) and [user.first_name for user in some.object_list] == ["First3", "First7"]

    # Words are searched by their beginnings, in any order, case and accents aside.
    searched = list_users.sync(client=carnet, search="even first1", count=1)
    assert isinstance(searched, UsersEnvelope) and searched.meta.total_count == 5

    # Walk by cursors where others write meanwhile: nobody is left out or shown twice. The empty one is the start.
    walked, cursor = page_after(carnet, "")
    delete_users.sync_detailed(walked[0].id, client=carnet)
    while cursor is not None:
        users, cursor = page_after(carnet, cursor)
        walked += users
    in_order = sorted(found, key=lambda user: (user.last_name == "Even", user.first_name))
    assert [user.id for user in walked] == [user.id for user in in_order]

    # Change what was seen, and only that.
    ada = create(carnet, "Ada", "Lovelace", None)
    tag = fetch_users.sync_detailed(ada, client=carnet).headers["ETag"]
    changed = update_users.sync(ada, client=carnet, body=UsersUpdate(last_name="King"), if_match=tag)
    assert isinstance(changed, UsersRecord) and (changed.first_name, changed.last_name) == ("Ada", "King")
    late = update_users.sync_detailed(ada, client=carnet, body=UsersUpdate(last_name="Byron"), if_match=tag)
    assert late.status_code == 412

    # Several writes, all or nothing. `$0` is the record of item 0.
    home = AddressCreate(country="United Kingdom", city="London", street="St James Square", number=12)
    charles = UsersCreateInBatch(first_name="Charles", last_name="Babbage", address="$0")
    done = write_batch.sync(client=carnet, body=Batch(requests=[
        AddressItemCreate(method="POST", path="/address/", body=home),
        UsersItemCreate(method="POST", path="/users/", body=charles),
        UsersItemDelete(method="DELETE", path="/users/$1/"),
        AddressItemDelete(method="DELETE", path="/address/$0/"),
    ]))
    assert isinstance(done, BatchResults) and [result.status for result in done.results] == [201, 201, 200, 200]

    # An error says what is wrong, in one shape.
    try:
        create(carnet, "Ada", "King", None)
    except ValueError as error:
        assert str(error) == "first_name,last_name must be unique together", error
    else:
        raise AssertionError("a second Ada King")
    held = delete_address.sync(address, client=carnet)
    assert isinstance(held, Error) and held.error.startswith("The record is still referenced by users")

    # A file: the generator leaves imports out, since their bodies are text.
    file = "first_name,last_name\nMary,Somerville\nAda,King\n"
    imports = carnet.get_httpx_client()
    answer = imports.post("/_/import/users/", content=file.encode(), headers={"Content-Type": "text/csv"})
    assert answer.json()["created"] == 1, answer.text

    assert delete_users.sync_detailed(ada, client=carnet).status_code == 200
    assert fetch_users.sync_detailed(ada, client=carnet).status_code == 404


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
    print("The address book works.")
