"""What the classes of documents are called: class_titles.tsv says it for codes such as A61B or A61B 1/00."""

from collections.abc import Iterable, Mapping

from kakehashi.corpus.collection import Collection
from kakehashi.errors import FileError

FILE = "class_titles.tsv"
GRAPH = "classes.tsv"


class ClassTitles:
    """Titles by class; a class without one is called like the nearest class above it."""

    def __init__(self, titles: Mapping[str, str], parents: Mapping[str, list[str]]):
        self._titles, self._parents = titles, parents

    def __bool__(self) -> bool:
        return bool(self._titles)

    def of(self, code: str) -> str:
        """Empty where neither the class nor any above it has a title."""
        level, seen = [code], {code}
        while level:
            if title := next((self._titles[one] for one in level if one in self._titles), ""):
                return title
            above = dict.fromkeys(parent for one in level for parent in self._parents.get(one, ()))
            level = [parent for parent in above if parent not in seen]
            seen.update(level)
        return ""

    def among(self, codes: Iterable[str]) -> dict[str, str]:
        """The titles of those codes that have one."""
        return {code: title for code in codes if (title := self.of(code))}


def read_class_titles(collection: Collection) -> ClassTitles:
    """From the collection's files; none where it has none."""
    titles: dict[str, str] = {}
    parents: dict[str, list[str]] = {}
    if collection.has(FILE):
        for code, title in collection.class_titles():
            if code in titles:
                raise FileError(
                    collection.path(FILE), None, f"class '{code[:60]}' has two titles: remove one"
                )
            titles[code] = title
        for child, parent in collection.classes() if collection.has(GRAPH) else ():
            parents.setdefault(child, []).append(parent)
    return ClassTitles(titles, parents)
