"""Hits as the JSON object that `search --json` prints."""

import msgspec

from kakehashi.export.listing import Listing


def json_bytes(listing: Listing) -> bytes:
    return msgspec.json.format(msgspec.json.encode(listing.as_dict, enc_hook=str), indent=1) + b"\n"
