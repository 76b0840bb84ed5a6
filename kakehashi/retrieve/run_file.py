"""A TREC run file as a system: it answers only the queries it contains."""

from collections.abc import Sequence, Set

from kakehashi.types import Ranking, Run, Text


class RunFile:
    """Looks queries up by their ids."""

    def __init__(self, rankings: dict[str, Ranking]):
        self._rankings = rankings

    @property
    def queries(self) -> Set[str]:
        """The queries it contains."""
        return self._rankings.keys()

    def search(self, queries: Sequence[Text], k: int = 1000) -> Run:
        """The lists of the file; a query that it does not contain is left out."""
        rankings = {}
        for query in queries:
            if query.id in self._rankings:
                found = self._rankings[query.id]
                rankings[query.id] = Ranking(found.docs[:k], found.scores[:k])
        return Run("run", rankings)
