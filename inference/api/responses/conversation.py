"""What a request goes on from: its own items, and those that the store has for it."""

from dataclasses import dataclass

from inference.api.responses.errors import NotStored
from inference.api.responses.ids import response_id_of
from inference.api.responses.input_items import REFERENCE, item_type
from inference.api.responses.output_items import Json
from inference.api.responses.schema import ResponsesBody
from inference.api.responses.store import Item, ResponseStore, StoredResponse, json_bytes


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that is said before an answer.

    previous, new: items, those of the previous response and those of the request.
    instructions: in force; None for none.
    previous_bytes: size of `previous` as JSON.
    """

    previous: tuple[Item, ...]
    new: tuple[Item, ...]
    instructions: str | None
    previous_bytes: int

    @classmethod
    def of(cls, body: ResponsesBody, store: ResponseStore) -> "Conversation":
        """Look up what a request refers to; raises NotStored if it is not there."""
        new = tuple(_resolved(item, store) for item in body.items)
        if body.previous_response_id is None:
            return cls((), new, body.instructions, 0)
        stored = store.get(body.previous_response_id)
        if stored is None:
            raise NotStored("previous response", body.previous_response_id)
        instructions = body.instructions or stored.body["instructions"]
        return cls(stored.items, new, instructions, stored.items_bytes)

    def placed_items(self) -> list[tuple[str, Item]]:
        """Return all items, each with its place in the request."""
        places = range(-len(self.previous), len(self.new))
        items = (*self.previous, *self.new)
        return [(f"input[{place}]", item) for place, item in zip(places, items, strict=True)]

    def keep(self, response: Json, store: ResponseStore) -> None:
        """Store the response that ends this conversation, for requests that go on from it.

        Thoughts are not repeated to the model, so they are kept in the response only.
        """
        said = (*self.new, *response["output"])
        spoken = tuple(item for item in said if item_type(item) != "reasoning")
        items_bytes = self.previous_bytes + json_bytes(spoken)
        size_bytes = items_bytes + json_bytes(response)
        store.put(
            response["id"],
            StoredResponse(response, self.previous + spoken, items_bytes, size_bytes),
        )


def _resolved(item: Item, store: ResponseStore) -> Item:
    """Return the item that a reference means; any other as it is."""
    if item_type(item) != REFERENCE:
        return item
    stored = store.get(response_id_of(item["id"]))
    for candidate in stored.body["output"] if stored else ():
        if candidate["id"] == item["id"]:
            found: Item = candidate
            return found
    raise NotStored("item", item["id"])
