"""Every system by its short name; help, docs and contract tests are made from this list.

Systems that other packages offer are in `plugins.py`; they are known here by name and built in the same way.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kakehashi.errors import InputError
from kakehashi.fuse.fused import Fused, FusedUse, open_fused
from kakehashi.index.index import Index
from kakehashi.index.metadata import parse_condition
from kakehashi.plugins import AsGiven, Plugin, plugins
from kakehashi.query.terms import Untranslated
from kakehashi.retrieve.bilinear import BilinearUse, open_bilinear
from kakehashi.retrieve.boosted import BoostedUse, open_boosted
from kakehashi.retrieve.dt import DtSettings, NbestSettings, open_dt, open_nbest
from kakehashi.retrieve.linear import DenseUse, KnowledgeUse, LinearRanker, open_linear
from kakehashi.retrieve.lowrank import LowRankUse, open_lowrank
from kakehashi.retrieve.psq import PsqHmmSettings, PsqSettings, open_psq, open_psq_hmm
from kakehashi.retrieve.run_file import RunUse, open_run
from kakehashi.retrieve.sparse import Scope, Sparse
from kakehashi.retrieve.system import IndexSystem, SystemSpec
from kakehashi.retrieve.topics import TopicsUse, open_topics
from kakehashi.retrieve.weighting import Bm25, Hmm, Lm, TfIdf

__all__ = [
    "RUN",
    "SYSTEMS",
    "SystemSpec",
    "build",
    "making",
    "offered",
    "read_settings",
    "read_values",
    "spec_of",
]


class TfIdfSettings(TfIdf, frozen=True, forbid_unknown_fields=True):
    """Cosine of tf·idf vectors, with a choice of the documents that df is counted over.

    df = "" counts over the whole index, df = "pool=train" over the documents that satisfy the condition; terms
    those do not hold vanish.
    """

    df: Annotated[
        str,
        Meta(
            description="Documents over which df and N are counted: empty for the whole index, else one condition "
            "as in `--where`, such as `pool=train`. Terms that those documents do not contain are "
            "dropped."
        ),
    ] = ""


def _lexical(name: str, index: Index, settings: Any, scope: Scope) -> Sparse:
    return Sparse(name, Untranslated(index), settings, index, scope)


def _tfidf(name: str, index: Index, settings: TfIdfSettings, scope: Scope) -> Sparse:
    statistics = index.statistics_where([parse_condition(settings.df)]) if settings.df else None
    return Sparse(name, Untranslated(index), TfIdf(settings.idf), index, scope, statistics)


def _linear(name: str, index: Index, settings: KnowledgeUse | DenseUse, scope: Scope) -> LinearRanker:
    return open_linear(name, index, settings, scope, build)


def _fused(name: str, index: Index, settings: FusedUse, scope: Scope) -> Fused:
    return open_fused(name, index, settings, scope, build)


SYSTEMS = {
    spec.name: spec
    for spec in (
        SystemSpec("bm25", "Sparse", "BM25 over the words both languages share", Bm25, _lexical),
        SystemSpec("lm", "Sparse", "language model with a Dirichlet prior, likewise", Lm, _lexical),
        SystemSpec("tfidf", "Sparse", "cosine of tf-idf vectors, likewise", TfIdfSettings, _tfidf),
        SystemSpec("passthrough", "Sparse", "baseline: the query's untranslated words, BM25", Bm25, _lexical),
        SystemSpec(
            "monolingual",
            "Sparse",
            "baseline: the query's original in the documents' language, BM25",
            Bm25,
            _lexical,
            queries="originals.jsonl",
        ),
        SystemSpec(
            "monolingual-hmm",
            "Sparse",
            "baseline: the same by the language model of psq-hmm, better where texts are long",
            Hmm,
            _lexical,
            queries="originals.jsonl",
        ),
        SystemSpec(
            "dt",
            "Sparse",
            "direct translation, by a phrase-based decoder or any other translator, then BM25",
            DtSettings,
            open_dt,
            trainer="translation",
        ),
        SystemSpec(
            "psq",
            "Sparse",
            "probabilistic structured query: every word as the set of its translations, BM25",
            PsqSettings,
            open_psq,
            trainer="translation",
        ),
        SystemSpec(
            "psq-hmm",
            "Sparse",
            "probabilistic structured query, language model mixed with the collection's",
            PsqHmmSettings,
            open_psq_hmm,
            trainer="translation",
        ),
        SystemSpec(
            "psq-nbest",
            "Sparse",
            "structured query from the n best translations of each sentence, BM25",
            NbestSettings,
            open_nbest,
            trainer="translation",
        ),
        SystemSpec(
            "bilinear",
            "Sparse",
            "learned word pairs: q'Wd, trained on citations",
            BilinearUse,
            open_bilinear,
            trainer="bilinear",
        ),
        SystemSpec(
            "boosted",
            "Sparse",
            "learned pairs of n-grams, chosen by bagged boosting on citations",
            BoostedUse,
            open_boosted,
            trainer="boosted",
        ),
        SystemSpec(
            "lowrank",
            "Dense",
            "learned short vectors: (Uq)·(Vd), trained on citations",
            LowRankUse,
            open_lowrank,
            trainer="lowrank",
        ),
        SystemSpec(
            "topics",
            "Dense",
            "LSI or LDA topics of each language, linked by a matrix trained on citations",
            TopicsUse,
            open_topics,
            trainer="topics",
        ),
        SystemSpec(
            "knowledge",
            "Rerank",
            "what metadata have in common: classes, people, places; weights learned from judgments",
            KnowledgeUse,
            _linear,
            trainer="knowledge",
        ),
        SystemSpec(
            "dense",
            "Rerank",
            "scores of other systems and what metadata have in common; weights learned from judgments",
            DenseUse,
            _linear,
            trainer="dense",
        ),
        SystemSpec(
            "fused",
            "Fused",
            "lists of other systems, put together by a rule; weights tuned on judgments",
            FusedUse,
            _fused,
            trainer="fused",
        ),
    )
}


# not among the systems, for it answers nothing by itself: what others found, as an input or to be filtered
RUN = SystemSpec("run", "Outside", "the lists of a TREC run file", RunUse, open_run)


def offered() -> Mapping[str, Plugin]:
    """The systems of other packages, not loaded yet."""
    return plugins(frozenset({*SYSTEMS, RUN.name}))


def spec_of(name: str) -> SystemSpec:
    others = (
        offered()
    )  # looked at even where it is not needed, so that a name that is taken does not go unsaid
    if name in SYSTEMS:
        return SYSTEMS[name]
    if name == RUN.name:
        return RUN
    if name in others:
        return others[name].load()
    raise InputError(
        f"no system is called '{name}': choose one of {', '.join([*SYSTEMS, RUN.name, *others])}"
    )


def read_settings(spec: SystemSpec, values: Mapping[str, Any]) -> msgspec.Struct:
    """A system's settings from `--set name=value` strings; unknown names and wrong values are refused."""
    if spec.settings is AsGiven:
        return AsGiven(dict(values))
    return read_values(spec.name, spec.settings, values)


def read_values(system: str, kind: type[msgspec.Struct], values: Mapping[str, Any]) -> msgspec.Struct:
    known = {field.name for field in msgspec.structs.fields(kind)}
    for name in values:
        if name not in known:
            raise InputError(f"{system} has no setting '{name}': it has {', '.join(sorted(known))}")
    try:
        return msgspec.convert(dict(values), kind, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(f"{system}: {error}") from None


_being_made: ContextVar[tuple[tuple[str, str], ...]] = ContextVar("being_made", default=())


@contextmanager
def making(system: str, model: str) -> Iterator[None]:
    """While a model is trained or opened, nothing that it is made of may ask for it."""
    made = _being_made.get()
    if (system, model) in made:
        raise InputError(f"{system} '{model}' is made of itself: train it again with other inputs")
    token = _being_made.set((*made, (system, model)))
    try:
        yield
    finally:
        _being_made.reset(token)


def build(
    name: str, index: Index, settings: Mapping[str, Any] | None = None, scope: Scope | None = None
) -> IndexSystem:
    """The named system over an index, ready to search."""
    spec = spec_of(name)
    given = read_settings(spec, settings or {})
    with making(name, str(getattr(given, "model", ""))):
        return spec.build(name, index, given, scope or Scope())
