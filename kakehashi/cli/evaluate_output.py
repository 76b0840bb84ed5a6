"""How `evaluate` and `compare` print their results: tables for people, JSON for programs."""

import math
import sys
from collections.abc import Mapping, Sequence

from rich.table import Table

from kakehashi.cli.output import add_row, print_json, show, table_with
from kakehashi.cli.terminal import say
from kakehashi.evaluation.comparison import Comparison
from kakehashi.evaluation.measures import Measure
from kakehashi.evaluation.scores import Scores

_INTERVAL = "± and intervals: 95 %, Student's t over queries"


def json_scores(
    scores: Sequence[Scores], per_query: bool, groups: Sequence[Mapping[str, Scores]] = ()
) -> None:
    found: dict[str, object] = {"runs": {one.system: one.means() for one in scores}}
    if groups:
        found["groups"] = {
            one.system: {name: _of_group(part) for name, part in parts.items()}
            for one, parts in zip(scores, groups, strict=True)
        }
    if per_query:
        found["queries"] = {one.system: _by_query(one) for one in scores}
    print_json(found)


def json_pairs(measure: Measure, pairs: Sequence[Comparison]) -> None:
    rows = [
        {
            "a": pair.a,
            "b": pair.b,
            "difference": pair.difference,
            "interval": None if math.isnan(pair.interval[0]) else pair.interval,
            "p": pair.p,
            "p_holm": pair.p_holm,
            **({"group": pair.group, "queries": pair.n_queries} if pair.group else {}),
        }
        for pair in pairs
    ]
    print_json({"measure": str(measure), "pairs": rows})


def table_of_scores(scores: Sequence[Scores], per_query: bool) -> None:
    measures = scores[0].measures
    if len(scores) < len(measures):  # the longer side becomes the rows
        table = table_with("", *(one.system for one in scores))
        for measure in measures:
            add_row(table, str(measure), *(_mean(one, measure) for one in scores))
    else:
        table = table_with("run", *map(str, measures))
        for one in scores:
            add_row(table, one.system, *(f"{one.mean(measure):.4f}" for measure in measures))
    show(table)
    if len(scores) < len(measures):
        say(_INTERVAL)
    if per_query:
        show(_query_table(scores))


def table_of_groups(groups: Sequence[Mapping[str, Scores]], without_mates: bool, per_query: bool) -> None:
    """Rows by group and run; `queries` are those that count for the first measure."""
    names = dict.fromkeys(name for one in groups for name in one)
    scores = [next(iter(one.values())) for one in groups]
    first, several = scores[0].measures[0], len(groups) > 1
    table = table_with(
        "", *(["run"] if several else []), "queries", *map(str, scores[0].measures), left=1 + several
    )
    for name in names:
        for part in (one[name] for one in groups if name in one):
            cells = [_mean(part, measure) for measure in part.measures]
            add_row(table, name, *([part.system] if several else []), str(part.n_queries(first)), *cells)
    show(table)
    say(f"{_INTERVAL}{'; mates are left out' if without_mates else ''}")
    if per_query:
        show(_query_table(scores))


def table_of_pairs(
    measure: Measure, pairs: Sequence[Comparison], groups: Sequence[Mapping[str, Scores]], test: str
) -> None:
    names = list(groups[0])
    grouped = len(names) > 1
    means = table_with("run", *(names if grouped else [str(measure)]))
    for parts in groups:
        cells = [_mean(parts[name], measure) if name in parts else "" for name in names]
        add_row(means, parts[names[0]].system, *cells)
    show(means)
    several = len(pairs) > 1
    heads = ["queries", "a - b", "95 % interval", "p", *(["p, Holm"] if several else [])]
    table = table_with("a", "b", *([str(measure)] if grouped else []), *heads, left=2 + grouped)
    for pair in pairs:
        low, high = pair.interval
        cells = [pair.a, pair.b, *([pair.group] if grouped else []), str(pair.n_queries)]
        cells += [f"{pair.difference:+.4f}", f"{low:+.4f} .. {high:+.4f}"]
        add_row(table, *cells, short_p(pair.p), *([short_p(pair.p_holm)] if several else []))
    show(table)
    say(f"{_INTERVAL}; {test} test, paired, two-sided")


def notices(scores: Sequence[Scores], answered_only: bool) -> None:
    """Remarks about the means, on standard error."""
    if scores and scores[0].hopeless and not answered_only:
        _remark(f"{_some(scores[0].hopeless)} without any relevant document: 0 for every run")
    for one in scores:
        if one.unanswered:
            how = "left out" if answered_only else "counted 0 (--answered-only leaves them out)"
            _remark(f"{one.system}: {_some(one.unanswered)} not answered, {how}")
        if one.unjudged:
            _remark(f"{one.system}: {_some(one.unjudged)} not judged, left out")


def _by_query(scores: Scores) -> dict[str, dict[str, float]]:
    """Without the cells of queries that a measure leaves out."""
    return {
        query: {str(m): float(v) for m, v in zip(scores.measures, row, strict=True) if not math.isnan(v)}
        for query, row in zip(scores.queries, scores.values, strict=True)
    }


def _query_table(scores: Sequence[Scores]) -> Table:
    table = table_with("query", "run", *map(str, scores[0].measures), left=2)
    rows = [dict(zip(one.queries, one.values, strict=True)) for one in scores]
    for query in dict.fromkeys(query for one in rows for query in one):
        for one, values in zip(scores, rows, strict=True):
            if query in values:
                cells = ["" if math.isnan(value) else f"{value:.4f}" for value in values[query]]
                add_row(table, query, one.system, *cells)
    return table


def _of_group(scores: Scores) -> dict[str, float | int | None]:
    means = {name: None if math.isnan(mean) else mean for name, mean in scores.means().items()}
    return {"queries": scores.n_queries(scores.measures[0]), **means}


def _mean(scores: Scores, measure: Measure) -> str:
    mean, high = scores.mean(measure), scores.interval(measure)[1]
    if math.isnan(mean):
        return ""
    return f"{mean:.4f}" if math.isnan(high) else f"{mean:.4f} ± {high - mean:.4f}"


def short_p(p: float) -> str:
    return f"{p:.4f}" if p >= 0.001 else f"{p:.1e}"


def _some(queries: Sequence[str]) -> str:
    named = ", ".join([*queries[:3], *(["..."] if len(queries) > 3 else [])])
    return f"{len(queries)} {'query' if len(queries) == 1 else 'queries'} ({named})"


def _remark(text: str) -> None:
    say(f"kakehashi: {text}", file=sys.stderr)
