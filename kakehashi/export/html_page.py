"""Hits as one HTML file that needs nothing else: no script, no font, no picture from anywhere."""

from html import escape

from kakehashi.export.listing import Entry, Listing, reason_lines
from kakehashi.export.spreadsheet import about_search
from kakehashi.text.marking import Piece

MOST_REASONS = 12
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.05rem; margin: 0 0 .2rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; }
dt, .facts, .why { color: color-mix(in srgb, CanvasText 65%, Canvas); } dd { margin: 0; white-space: pre-wrap; }
ol { list-style: none; padding: 0; }
li { border-top: 1px solid color-mix(in srgb, CanvasText 20%, Canvas); padding: 1rem 0; }
p { margin: .3rem 0; overflow-wrap: anywhere; } .facts, .why { font-size: .9rem; }
mark { background: color-mix(in srgb, gold 45%, Canvas); color: inherit; font-weight: 600; }
@media print { body { max-width: none; margin: 0; } li { break-inside: avoid; } }
"""


def html_bytes(listing: Listing) -> bytes:
    about = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in about_search(listing).items()
    )
    hits = (
        "\n".join(_hit(entry, listing.digits) for entry in listing.entries)
        or "<li><p>Nothing found.</p></li>"
    )
    title = f"{len(listing.entries)} hits in {listing.collection}"
    page = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<h1>{escape(title)}</h1>
<dl>{about}</dl>
<ol>
{hits}
</ol>
</body>
</html>
"""
    return page.encode("utf-8", "xmlcharrefreplace")


def _hit(entry: Entry, digits: int) -> str:
    facts = [entry.id, entry.facts.date, entry.facts.applicant, ", ".join(entry.facts.classes)]
    said = " · ".join(escape(fact) for fact in facts if fact)
    if entry.facts.url:  # one that begins with http, see `facts_of`
        said += f' · <a href="{escape(entry.facts.url)}" rel="noreferrer">{escape(entry.facts.url)}</a>'
    lines = reason_lines(entry.why, MOST_REASONS, digits)
    why = "<br>\n".join(" &nbsp; ".join(map(escape, line)) for line in lines)
    family = f'<p class="facts">also: {escape(", ".join(entry.family))}</p>' if entry.family else ""
    return (
        f"<li><h2>{entry.rank}. {escape(entry.title or entry.id)}</h2>"
        f'<p class="facts">{said} · score {entry.score:.4g}</p>{family}'
        f'<p class="passage">{marked_html(entry.passage)}</p><p class="why">{why}</p></li>'
    )


def marked_html(pieces: list[Piece]) -> str:
    return "".join(f"<mark>{escape(text)}</mark>" if match else escape(text) for text, match in pieces)
