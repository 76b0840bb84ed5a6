"""Results by group: of queries of some length, or over relevant documents that were cited before or never were."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from kakehashi.errors import InputError
from kakehashi.evaluation.judged import Subset
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.scores import Scores

ALL = "all"
LONGEST = (5, 15, 50, 150)  # words of the longest query of each group but the last
CITED: dict[str, Subset] = {"cited before": ":cited", "never cited": ":new"}


def length_group(words: int) -> str:
    """Such as `6-15 words`."""
    for shortest, longest in zip((0, *(n + 1 for n in LONGEST)), LONGEST, strict=False):
        if words <= longest:
            return f"{shortest}-{longest} words" if shortest else f"up to {longest} words"
    return f"over {LONGEST[-1]} words"


def by_length(scores: Scores, words: Mapping[str, int]) -> dict[str, Scores]:
    """All queries, then those of each length; `words` counts those of every query."""
    if missing := [query for query in scores.queries if query not in words]:
        raise InputError(
            f"{len(missing)} judged queries have no text ({missing[0]}, ...): give the file they are in"
        )
    members: dict[str, list[str]] = {}
    for query in sorted(scores.queries, key=words.__getitem__):
        members.setdefault(length_group(words[query]), []).append(query)
    return {ALL: scores, **{name: scores.within({*queries}) for name, queries in members.items()}}


def by_cited(
    measure: Callable[[Sequence[Measure]], Scores], measures: Sequence[Measure], has_mates: bool
) -> dict[str, Scores]:
    """Over all relevant documents, those cited before, and those never cited; mates are left out of all three.

    `measure` measures a run. Each group's scores have the names of the measures as given, without a suffix.
    """
    plain = list(dict.fromkeys(one.over("") for one in measures))
    whole: Subset = "-mate" if has_mates else ""
    subsets: dict[str, Subset] = {ALL: whole, **CITED}
    scores = measure([one.over(subset) for subset in subsets.values() for one in plain])
    n = len(plain)
    return {
        name: replace(scores, measures=tuple(plain), values=scores.values[:, i * n : (i + 1) * n])
        for i, name in enumerate(subsets)
    }
