"""What Hypothesis may put into collections: texts with tabs and odd letters, ids without blanks."""

from hypothesis import settings
from hypothesis import strategies as st

from kakehashi.types import Text

few = settings(max_examples=60)  # every example writes files to disk

ids = st.text(min_size=1, max_size=12).filter(lambda id: id.split() == [id] and id[0] not in "#\ufeff")
blanks = st.sampled_from(
    ["", " ", "\t", "\n", "\r", "\r\n", "\u3000", "\u2028", "\x85", "&", "<top>", "</DOC>", "&#9;"]
)
bodies = st.lists(st.text(max_size=10) | blanks, min_size=1, max_size=6).map("".join)
texts = st.builds(Text, id=ids, lang=st.just("en"), text=bodies, title=st.just("") | bodies)
text_lists = st.lists(texts, min_size=1, max_size=4, unique_by=lambda text: text.id)
qrels = st.dictionaries(ids, st.dictionaries(ids, st.integers(0, 3), min_size=1, max_size=4), max_size=4)
