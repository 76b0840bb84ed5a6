"""BoostCLIR's and WikiCLIR's files."""

from pathlib import Path

import pytest
from hypothesis import assume, given

from kakehashi.corpus.check import check
from kakehashi.corpus.collection import Collection, CollectionInfo
from kakehashi.corpus.metadata_lines import More
from kakehashi.corpus.pools import in_pool, pool_documents, restriction
from kakehashi.corpus.tsv import LEVELS, export_tsv, import_tsv
from kakehashi.corpus.writing import CollectionWriter
from kakehashi.errors import FileError, InputError
from kakehashi.types import Text
from tests.corpus.strategies import few, text_lists
from tests.toy import QRELS, toy_collection

INFO = CollectionInfo("boostclir", "ja", "en", levels=LEVELS["boostclir"], mate_level=3)
FILES = {
    "train.queries": "j1\t電池\n",
    "train.docs": "d1\tbattery\nd2\tcell\n",
    "train.qrels": "j1\td1\t3\nj1\td2\t1\n",
    "dev.queries": "j2\tレンズ\n",
    "dev.docs": "d3\tlens\nd2\tcell\n",
    "dev.qrels": "j2\td3\t2\n",
    "test.queries": "j3\tポンプ\n",
    "test.docs": "d4\tpump\td\n",
    "test.qrels": "j3\td4\t3\n",
}


def write(folder: Path, files: dict[str, str], prefix: str = "") -> Path:
    folder.mkdir()
    for name, content in files.items():
        (folder / (prefix + name)).write_text(content, encoding="utf-8")
    return folder


@pytest.mark.parametrize("prefix", ["", "ja-en.", "big_"])
def test_pools_are_united_and_remembered(tmp_path: Path, prefix: str) -> None:
    import_tsv(write(tmp_path / "t", FILES, prefix), tmp_path / "c", INFO)
    made = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert [(text.id, text.text, text.meta["pool"]) for text in made.documents()] == [
        ("d1", "battery", ["train"]),
        ("d2", "cell", ["train", "dev"]),
        ("d3", "lens", ["dev"]),
        ("d4", "pump\td", ["test"]),
    ]
    assert restriction(made.info, "dev") == {"pool": "dev"}
    assert [text.id for text in pool_documents(made, "dev")] == ["d2", "d3"]
    assert made.qrels("train") == {"j1": {"d1": 3, "d2": 1}}
    assert made.info.levels["3"] == "same patent family"


def test_swapping_exchanges_dev_and_test_with_their_pools_and_says_so(tmp_path: Path) -> None:
    import_tsv(write(tmp_path / "t", FILES), tmp_path / "c", INFO, swap_dev_test=True)
    made = Collection(tmp_path / "c")
    assert made.qrels("dev") == {"j3": {"d4": 3}}
    assert made.qrels("test") == {"j2": {"d3": 2}}
    assert [text.id for text in pool_documents(made, "test")] == ["d2", "d3"]
    assert made.info.made_with["swap_dev_test"] is True


def test_shared_documents_need_no_pool(tmp_path: Path) -> None:
    files = {name: text for name, text in FILES.items() if not name.endswith(".docs")}
    import_tsv(
        write(tmp_path / "t", {**files, "shared.docs": "d1\ta\nd2\tb\nd3\tc\nd4\td\n"}), tmp_path / "c", INFO
    )
    made = Collection(tmp_path / "c")
    assert restriction(made.info, "dev") == {}
    assert [dict(text.meta) for text in made.documents()] == [{}] * 4
    assert len(list(pool_documents(made, "dev"))) == 4


def test_one_id_with_two_texts_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "t", {**FILES, "dev.docs": "d2\tanother text\nd3\tlens\n"})
    with pytest.raises(FileError, match=r"dev\.docs: document 'd2' has a different text in another pool"):
        import_tsv(source, tmp_path / "c", INFO)


def test_document_twice_in_one_pool_is_refused(tmp_path: Path) -> None:
    source = write(tmp_path / "t", {**FILES, "dev.docs": "d3\tlens\nd3\tlens\n"})
    with pytest.raises(FileError, match=r"dev\.docs: document 'd3' occurs twice"):
        import_tsv(source, tmp_path / "c", INFO)


def test_queries_published_as_ids_take_their_text_from_elsewhere(tmp_path: Path) -> None:
    source = write(tmp_path / "t", {**FILES, "dev.queries": "j2\n"})
    with pytest.raises(FileError, match=r"dev\.queries:1: query 'j2' has no text"):
        import_tsv(source, tmp_path / "c", INFO)
    (tmp_path / "texts").write_text("j2\tレンズ\nj9\tunused\n", encoding="utf-8")
    import_tsv(source, tmp_path / "c", INFO, query_texts=tmp_path / "texts")
    assert [text.text for text in Collection(tmp_path / "c").queries()] == ["電池", "レンズ", "ポンプ"]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("train.qrels", "j1 d1 3\n", r"train\.qrels:1: has 1 tab-separated columns, needs 3"),
        ("train.qrels", "j1\td1\tx\n", r"train\.qrels:1: level 'x'"),
        ("train.docs", "d1\n", r"train\.docs:1: has no tab"),
        ("train.queries", "j 1\ta\n", "contains white space"),
        ("old.train.qrels", "j1\td1\t3\n", "two sets of judgments for train"),
    ],
)
def test_bad_files_are_refused(tmp_path: Path, file: str, content: str, message: str) -> None:
    source = write(tmp_path / "t", {**FILES, file: content})
    with pytest.raises(FileError, match=message):
        import_tsv(source, tmp_path / "c", INFO)
    assert not (tmp_path / "c").exists()


def test_collection_with_pools_survives_export_and_import(tmp_path: Path) -> None:
    import_tsv(write(tmp_path / "t", FILES), tmp_path / "c", INFO)
    export_tsv(Collection(tmp_path / "c"), tmp_path / "out")
    import_tsv(tmp_path / "out", tmp_path / "again", INFO)
    for name in ("documents.jsonl", "queries.jsonl", "qrels/train.tsv", "qrels/dev.tsv", "collection.toml"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "c" / name).read_bytes()


def test_titles_need_flattening(tmp_path: Path) -> None:
    toy = Collection(toy_collection(tmp_path / "toy"))
    with pytest.raises(
        InputError, match="'d01' has a title or a line break, which one line cannot hold: add --flatten"
    ):
        export_tsv(toy, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    export_tsv(toy, tmp_path / "out", flatten=True)
    import_tsv(tmp_path / "out", tmp_path / "again", INFO)
    again = Collection(tmp_path / "again")
    assert next(again.documents()).text == "electrode lithium battery electrode"
    assert {split: again.qrels(split) for split in again.splits} == QRELS


@few
@given(text_lists)
def test_any_texts_survive_or_are_refused(
    tmp_path_factory: pytest.TempPathFactory, texts: list[Text]
) -> None:
    folder = tmp_path_factory.mktemp("tsv")
    with CollectionWriter(folder / "c", INFO) as writer:
        for text in texts:
            writer.document(text)
            writer.query(Text(text.id, "ja", "x"))
        writer.qrels("test", {texts[0].id: {texts[0].id: 1}})
    if any({"\n", "\r"} & set(text.content) for text in texts):
        with pytest.raises(InputError, match="--flatten"):
            export_tsv(Collection(folder / "c"), folder / "out")
        return
    export_tsv(Collection(folder / "c"), folder / "out")
    assume(any(text.text.strip() for text in texts))
    done = import_tsv(folder / "out", folder / "again", INFO)
    again = {text.id: text.text for text in Collection(folder / "again").documents()}
    assert again == {text.id: text.text for text in texts if text.text.strip()}
    assert done.left_out["empty documents"] == len(texts) - len(again)


def test_a_pool_may_be_one_word_or_a_list() -> None:
    assert in_pool(Text("d", "en", "a", "", {"pool": "train"}), "train")
    assert in_pool(Text("d", "en", "a", "", {"pool": ["dev", "train"]}), "train")
    assert not in_pool(Text("d", "en", "a", "", {"pool": "training"}), "train")
    assert not in_pool(Text("d", "en", "a"), "train")


METADATA = "j1\tfi\tH01M 4/02@A\nj1\tfi\tH01M 4/02,101@Z\nj1\tfi\tH01M 4/02@A\n"
ECLA = "d1\tecla\tH01M4/02B2\nd1\tinventor\tA. Tanaka\nnobody\tecla\tA01B1/00\n"


def extended(tmp_path: Path, **contents: str) -> More:
    """Files that are published beside the texts."""
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return More(
        tmp_path / "claims" if "claims" in contents else None,
        [tmp_path / name for name in ("fi", "ecla") if name in contents],
        tmp_path / "tree" if "tree" in contents else None,
    )


def test_metadata_classes_and_claims_extend_the_patents(tmp_path: Path) -> None:
    claims = "d1\tA battery that lasts.\nd2\tA cell.\nd3\tA lens.\nd4\tA pump.\n"
    more = extended(tmp_path, fi=METADATA, ecla=ECLA, tree="H01M4/02B2\tH01M4/02B\n", claims=claims)
    import_tsv(write(tmp_path / "t", FILES), tmp_path / "c", INFO, more=more)
    made = Collection(tmp_path / "c")
    assert check(tmp_path / "c") == []
    assert made.info.fields == {"fi": "keyword", "ecla": "keyword", "inventor": "keyword", "pool": "keyword"}
    [query, *_], [document, *_] = list(made.queries()), list(made.documents())
    assert query.meta == {"fi": ["H01M 4/02@A", "H01M 4/02,101@Z"]}
    assert document.text == "A battery that lasts."
    assert document.meta == {"pool": ["train"], "ecla": ["H01M4/02B2"], "inventor": ["A. Tanaka"]}
    assert [*made.classes()] == [("H01M4/02B2", "H01M4/02B")]


def test_a_document_without_a_claim_is_left_out_and_counted(tmp_path: Path) -> None:
    more = extended(tmp_path, claims="d1\tA battery.\nd3\tA lens.\nd4\tA pump.\n")
    made = import_tsv(write(tmp_path / "t", FILES), tmp_path / "c", INFO, more=more)
    assert (made.documents, made.left_out["empty documents"]) == (3, 1)
    assert Collection(tmp_path / "c").qrels("train") == {"j1": {"d1": 3}}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("d1\tecla\n", "ecla:1: needs 3 tab-separated columns: id field value"),
        ("d1\tecla\t\n", "ecla:1: needs 3 tab-separated columns"),
        ("d1\tthe field\tx\n", "ecla:1: field 'the field': use letters"),
    ],
)
def test_broken_metadata_are_named(tmp_path: Path, content: str, message: str) -> None:
    more = extended(tmp_path, ecla=content)
    with pytest.raises(FileError, match=message):
        import_tsv(write(tmp_path / "t", FILES), tmp_path / "c", INFO, more=more)
