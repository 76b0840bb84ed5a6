"""Patents come out of files, archives and archives in archives; what is broken or made to do harm is counted."""

import gzip
import io
import tarfile
import zipfile
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.corpus.patents import archives, mending, reading
from kakehashi.corpus.patents.documents import DocumentStream
from kakehashi.corpus.patents.reading import read_patents
from kakehashi.corpus.patents.tally import Tally
from kakehashi.errors import FileError
from kakehashi.progress import Silent
from tests.corpus.patents.files import BYTES, EP, MAREC, US_GRANT
from tests.corpus.patents.more_files import OTHER_FORMS

ONE = US_GRANT.encode()


def numbers(path: Path, tally: Tally | None = None) -> list[str]:
    return [record.number for record in read_patents([path], tally or Tally())]


def zipped(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def tarred(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return out.getvalue()


PUBLICATION = zipped({"EP1.xml": EP.encode(), "EP1.pdf": b"%PDF"})
PACKED = {
    "plain.xml": ONE,
    "named-otherwise.txt": ONE,
    "packed.xml.gz": gzip.compress(ONE),
    "packed.xml.zst": zstandard.compress(ONE),
    "week.zip": zipped({"ipg.xml": ONE, "ipg.pdf": b"%PDF", "folder/": b""}),
    "all.tar": tarred({"a/one.xml": ONE, "a/one.tif": b"II"}),
    "all.tar.gz": gzip.compress(tarred({"one.xml": ONE})),
    "all.tgz": gzip.compress(tarred({"one.XML": ONE})),
    "all.tar.zst": zstandard.compress(tarred({"one.xml.gz": gzip.compress(ONE)})),
}


@pytest.mark.parametrize("name", PACKED)
def test_record_comes_out_of_every_packing(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(PACKED[name])
    tally = Tally()
    assert numbers(tmp_path / name, tally) == ["US-9200001-B2"]
    assert tally.faults.listed() == []


def test_zip_files_in_a_tar_are_opened(tmp_path: Path) -> None:
    (tmp_path / "ep.tar").write_bytes(tarred({"DOC/EPNWB1/EP1.zip": PUBLICATION, "TOC.xml": b"<toc/>"}))
    tally = Tally()
    assert numbers(tmp_path / "ep.tar", tally) == ["EP-0900001-B1"]
    assert (tally.other_documents, tally.faults.listed()) == (1, [])


def test_folder_is_read_in_the_order_of_its_names(tmp_path: Path) -> None:
    for name, form in (("b/2.xml", "ep"), ("a.xml", "jp"), ("c.zip", "us-grant"), ("notes.md", "marec")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        data = BYTES[form]
        (tmp_path / name).write_bytes(zipped({"x.xml": data}) if name.endswith(".zip") else data)
    assert numbers(tmp_path) == ["JP-2004900001-A", "EP-0900001-B1", "US-9200001-B2"]


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for path in (tmp_path / "none.xml", tmp_path / "empty"):
        with pytest.raises(FileError):
            numbers(path)


def test_documents_after_one_another_are_read_and_a_broken_one_is_passed_over(tmp_path: Path) -> None:
    broken = b"<?xml version='1.0'?>\n<us-patent-grant><a></us-patent-grant>\n"
    (tmp_path / "week.xml").write_bytes(b"\xef\xbb\xbf" + ONE + broken + b"\n\n" + BYTES["patdoc"])
    tally = Tally()
    assert numbers(tmp_path / "week.xml", tally) == ["US-9200001-B2", "US-9300001-B1"]
    [fault] = tally.faults.listed()
    assert f"week.xml: byte {3 + len(ONE)}: is not XML after record 0 (line 2)" in str(fault)


@pytest.mark.parametrize(
    "broken", [b"<a></b>", b"\xff\xfe\xff", b"</exch:exchange-document></exch:exchange-document>"]
)
def test_document_of_many_records_is_read_on_behind_a_fault(broken: bytes, tmp_path: Path) -> None:
    head, _, rest = BYTES["docdb"].partition(b"<exch:exchange-document ")
    record = b"<exch:exchange-document " + rest.partition(b"<exch:exchange-document ")[0]
    record = record.replace(b"IMAGINARY HOE", b"HOE &amp; BLADE")  # at an & the parser reads on to the next ;
    many = [record.replace(b"2004900001", b"2004%06d" % i) for i in range(400)]
    for i in (3, 300):
        many[i] = many[i].replace(b"no hoe", broken)
    data = head + b"".join(many) + b"</exch:exchange-documents>"
    (tmp_path / "x.xml").write_bytes(data)
    tally = Tally()
    found = numbers(tmp_path / "x.xml", tally)
    expected = [f"JP-2004{i:06d}-A" for i in range(400)]
    assert found == [number for number in expected if number in found]
    assert found[:3] + found[-50:] == expected[:3] + expected[-50:]
    assert expected[3] not in found or broken.startswith(b"</")
    lost = (400 - len(found)) * len(record)  # what was read ahead of the faults
    assert lost < 2 * (1 << 17)
    [first, second] = tally.faults.listed()
    assert "x.xml: byte 0: is not XML after record" in str(first)
    place = int(str(second).split("byte ")[1].split(":")[0])
    assert data[place:].startswith(b"<exch:exchange-document ")


def test_documents_without_declarations_are_parted_by_their_doctypes(tmp_path: Path) -> None:
    plain = ONE[ONE.index(b"<!DOCTYPE") :]
    (tmp_path / "week.xml").write_bytes(plain + plain + ONE + plain)
    tally = Tally()
    assert len(numbers(tmp_path / "week.xml", tally)) == 4
    assert tally.faults.listed() == []


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_two_bytes_a_letter_are_read(encoding: str, tmp_path: Path) -> None:
    text = "\ufeff" + US_GRANT.replace("UTF-8", "UTF-16").replace("\n", "\r\n")
    (tmp_path / "x.xml").write_bytes(text.encode(encoding))
    assert numbers(tmp_path / "x.xml") == ["US-9200001-B2"]


@pytest.mark.parametrize(
    ("declared", "written", "title"),
    [
        ("ISO-8859-1", "latin-1", "Hacke für Gärten"),
        ("windows-1252", "cp1252", "Hacke – für Gärten"),
        ("Shift_JIS", "shift_jis", "架空の鍬"),
        ("Shift_JIS", "cp932", "架空の鍬㈱①"),
        ("EUC-JP", "euc-jp", "架空の鍬"),
        ("GB18030", "gb18030", "虚构的锄头\U00020000"),
        ("GB2312", "gbk", "虚構的鋤頭"),
        ("gbk", "gbk", "虚構的鋤頭"),
        ("Big5", "big5", "虛構的鋤頭"),
        ("EUC-KR", "cp949", "가상의 호미 똠"),
    ],
)
def test_letters_are_read_as_declared(declared: str, written: str, title: str, tmp_path: Path) -> None:
    one = MAREC.replace("UTF-8", declared).replace("Imaginary hoe", title)
    data = one.encode(written) + one.replace("9000001", "9000002").replace("a blade", "R & D").encode(written)
    (tmp_path / "x.xml").write_bytes(data)
    tally = Tally()
    first, mended = read_patents([tmp_path / "x.xml"], tally)
    assert (first.titles["en"], mended.titles["en"], mended.number) == (title, title, "EP-9000002-A1")
    assert tally.faults.by_kind() == {}


def test_wrong_declaration_of_the_letters_is_counted(tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_bytes(BYTES["jp"].replace(b"EUC-JP", b"UTF-8") + ONE)
    tally = Tally()
    assert numbers(tmp_path / "x.xml", tally) == ["US-9200001-B2"]
    assert "byte 0: is not XML after record 0" in str(tally.faults.listed()[0])


def test_archive_of_nothing_is_counted(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(zipped({"cover.pdf": b"%PDF"}))
    tally = Tally()
    assert numbers(tmp_path / "x.zip", tally) == []
    assert tally.faults.by_kind() == {"empty files": 1}


def test_half_an_archive_does_not_spoil_the_others_beside_it(tmp_path: Path) -> None:
    (tmp_path / "x.tar").write_bytes(tarred({"a.zip": PUBLICATION[:-60], "b.zip": PUBLICATION}))
    tally = Tally()
    assert numbers(tmp_path / "x.tar", tally) == ["EP-0900001-B1"]
    assert "a.zip: cannot be read further" in str(tally.faults.listed()[0])


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"xmlns:exch", b"xmlns:other"),  # as single documents are cut out of an exchange file
        (b"IMAGINARY HOE", b"HOE & BLADE"),
        (b"IMAGINARY HOE", b"HOE&SACUTE;"),
        (b"</country>", b"</country><!-- <!DOCTYPE old [ ]> & so on -->"),
        (b"IMAGINARY HOE", b"<![CDATA[A & B <!-- ]]> &"),
    ],
)
def test_small_faults_are_mended(old: bytes, new: bytes, tmp_path: Path) -> None:
    record = BYTES["docdb"].replace(old, new)
    (tmp_path / "x.xml").write_bytes(record + record.replace(b"JP", b"KR"))
    tally = Tally()
    assert numbers(tmp_path / "x.xml", tally) == ["JP-2004900001-A", "KR-20040900001-A"]
    assert tally.faults.by_kind() == {"records with no publication number": 2}


def test_ampersands_are_mended_in_text_alone(tmp_path: Path) -> None:
    text = b"<![CDATA[A & B]]> R&D &amp; &SACUTE;&agr;&unknown;"
    (tmp_path / "x.xml").write_bytes(BYTES["docdb"].replace(b"IMAGINARY HOE", text))
    [record] = read_patents([tmp_path / "x.xml"], Tally())
    assert record.titles == {"en": "A & B R&D & Śα"}


@pytest.mark.parametrize(
    ("title", "read"),
    [
        ("HOE OF KÖLN".encode("cp1252"), "HOE OF KÖLN"),
        ("HOE \x96 OF KÖLN".encode("latin-1") + "é".encode(), "HOE – OF KÖLNé"),
        (b"HOE\x0b OF\x00 IRON", "HOE OF IRON"),
        (b"HOE&#x2; OF &#11;IRON&#8211;", "HOE OF IRON–"),
    ],
)
def test_letters_that_xml_does_not_allow_are_mended(title: bytes, read: str, tmp_path: Path) -> None:
    (tmp_path / "x.xml").write_bytes(BYTES["docdb"].replace(b"IMAGINARY HOE", title))
    tally = Tally()
    [record] = read_patents([tmp_path / "x.xml"], tally)
    assert record.titles == {"en": read}
    assert tally.faults.by_kind() == {"records with no publication number": 1}


def test_fault_names_the_member_of_an_archive(tmp_path: Path) -> None:
    inner = zipped({"bad.xml": b"<patent-document><", "good.xml": ONE})
    (tmp_path / "x.tar").write_bytes(tarred({"deep/inner.zip": inner}))
    tally = Tally()
    assert numbers(tmp_path / "x.tar", tally) == ["US-9200001-B2"]
    [fault] = tally.faults.listed()
    assert str(fault).startswith(f"{tmp_path / 'x.tar'}: deep/inner.zip/bad.xml: byte 0: is not XML")


PIECES = [b"<?xml ", b"<!DOCTYPE ", b"<!DOC", b"<?xml", b"<?xml-s", b"ab", b" ", b"\n", b"<"]


@settings(max_examples=200)
@given(st.lists(st.sampled_from(PIECES), max_size=12), st.integers(1, 9))
def test_documents_are_the_pieces_between_declarations(pieces: list[bytes], size: int) -> None:
    data = b"".join(pieces)
    found = []
    for document in DocumentStream(io.BytesIO(data), 1 << 20):
        text, buffer = b"", bytearray(size)
        while n := document.readinto(memoryview(buffer)):
            text += buffer[:n]
        found.append((document.offset, text))
    starts, has_type = [], False
    for i in range(len(data)):
        is_type = data[i : i + 10] in (b"<!DOCTYPE ", b"<!DOCTYPE\n")
        if data[i : i + 6] in (b"<?xml ", b"<?xml\n") or (is_type and has_type):
            starts.append(i)
            has_type = False
        has_type = has_type or is_type
    cuts = sorted({0, *starts, len(data)})
    parts = [(start, data[start:end]) for start, end in pairwise(cuts)]
    blank = b" \n"
    expected = [(start + len(part) - len(part.lstrip(blank)), part.lstrip(blank)) for start, part in parts]
    assert found == [(offset, part) for offset, part in expected if part]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8, 13, 100])
@pytest.mark.parametrize("space", [b"", b"\n", b" " * 11])
def test_byte_order_mark_begins_the_next_document(size: int, space: bytes) -> None:
    one = b"<?xml version='1.0'?><a>" + b"b" * 20 + b"</a>"
    found = []
    for document in DocumentStream(io.BytesIO((b"\xef\xbb\xbf" + one + space) * 3), 1 << 20):
        text, buffer = b"", bytearray(size)
        while n := document.readinto(memoryview(buffer)):
            text += buffer[:n]
        found.append(text)
    assert [text.rstrip() for text in found] == [one] * 3


@pytest.mark.parametrize(
    ("name", "begins", "words"),
    [
        ("x.7z", b"7z\xbc\xaf\x27\x1c", "is a 7z archive: unpack it first"),
        ("x.xml", b"\x1f\x8b\x08", "is packed with gzip: end its name with .gz"),
        ("x.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "is an old Excel workbook: save it as .xlsx or CSV"),
        ("x.parquet", b"PAR1", "export it as JSON lines or CSV"),
    ],
)
def test_file_of_another_kind_says_what_to_do(name: str, begins: bytes, words: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(begins + bytes(100))
    tally = Tally()
    assert numbers(tmp_path / name, tally) == []
    assert words in str(tally.faults.listed()[0])


def test_long_record_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1 << 18)
    long = b"<?xml version='1.0'?><us-patent-grant>" + b"<p>word word</p>" * 40_000 + b"</us-patent-grant>"
    (tmp_path / "x.xml").write_bytes(ONE + long + ONE * 40)  # together the short ones are longer
    tally = Tally()
    assert len(numbers(tmp_path / "x.xml", tally)) == 41
    assert tally.faults.by_kind() == {"records that are too long": 1}


def test_many_records_of_one_document_may_be_longer_than_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LONGEST", 1 << 18)
    record = ONE[ONE.index(b"<us-patent-grant") :].replace(b"&ndash;", b"-")
    (tmp_path / "x.xml").write_bytes(b"<all>" + record * 200 + b"</all>")
    assert len(numbers(tmp_path / "x.xml")) == 200


def test_record_of_too_many_elements_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MOST_TAGS", 1000)
    many = b"<?xml version='1.0'?><us-patent-grant>" + b"<p/>" * 2000 + b"</us-patent-grant>"
    (tmp_path / "x.xml").write_bytes(many + ONE)
    tally = Tally()
    assert numbers(tmp_path / "x.xml", tally) == ["US-9200001-B2"]
    assert tally.faults.by_kind() == {"records that are too long": 1}


LAUGHS = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(12))
TITLE = "<us-bibliographic-data-grant><publication-reference><document-id><doc-number>9</doc-number></document-id>"


@pytest.mark.parametrize(
    "where", ["<invention-title>&e12;</invention-title>", '<invention-title lang="&e12;"/>']
)
def test_entities_are_not_opened(where: str, tmp_path: Path) -> None:
    body = f"{TITLE}</publication-reference>{where}</us-bibliographic-data-grant>"
    text = f'<!DOCTYPE us-patent-grant [<!ENTITY e0 "lol">{LAUGHS}]><us-patent-grant>{body}</us-patent-grant>'
    (tmp_path / "x.xml").write_text(text)
    tally = Tally()
    titles = [dict(record.titles) for record in read_patents([tmp_path / "x.xml"], tally)]
    assert titles in ([], [{}])
    assert all(len(str(fault)) < 1000 for fault in tally.faults.listed())


def test_files_of_this_machine_are_not_opened(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("hidden words")
    (tmp_path / "x.dtd").write_text('<!ENTITY mark "hidden words">')
    for i, declared in enumerate(
        [
            f'[<!ENTITY mark SYSTEM "{(tmp_path / "secret").as_uri()}">]',
            f'SYSTEM "{(tmp_path / "x.dtd").as_uri()}"',
            f'[<!ENTITY % all SYSTEM "{(tmp_path / "x.dtd").as_uri()}"> %all;]',
        ]
    ):
        path = tmp_path / f"{i}.xml"
        head, _, body = US_GRANT.partition('SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]')
        path.write_text(head + declared + body.replace("&ndash;", "&mark;"))
        assert "hidden" not in str(list(read_patents([path], Tally())))


@pytest.mark.parametrize("name", ["bomb.xml.gz", "bomb.zip", "bomb.tar.gz", "deep.zip"])
def test_bomb_is_left_unread(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "ALWAYS", 1 << 18)
    blank = b" " * (8 << 20)
    content = {
        "bomb.xml.gz": gzip.compress(blank),
        "bomb.zip": zipped({"x.xml": blank}),
        "bomb.tar.gz": gzip.compress(tarred({"x.xml": blank})),
        "deep.zip": zipped({"x.zip": zipped({"x.zip": zipped({"x.xml": blank})})}),
    }[name]
    (tmp_path / name).write_bytes(content)
    tally = Tally()
    assert numbers(tmp_path / name, tally) == []
    assert "expands to more than 200 times its size" in str(tally.faults.listed()[0])


def test_archives_in_archives_end_somewhere(tmp_path: Path) -> None:
    data = ONE
    for _ in range(8):
        data = gzip.compress(data)
    (tmp_path / f"x.xml{'.gz' * 8}").write_bytes(data)
    tally = Tally()
    assert numbers(tmp_path / f"x.xml{'.gz' * 8}", tally) == []
    assert "is nested in more than 4 archives" in str(tally.faults.listed()[0])


def test_long_archive_inside_another_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_NESTED", 100)
    (tmp_path / "x.tar").write_bytes(tarred({"long.zip": PUBLICATION, "one.xml": ONE}))
    tally = Tally()
    assert numbers(tmp_path / "x.tar", tally) == ["US-9200001-B2"]
    assert tally.faults.by_kind() == {"unreadable files": 1}


def test_long_name_in_a_tar_is_not_held_in_memory(tmp_path: Path) -> None:
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = tarfile.GNUTYPE_LONGNAME, 1 << 30
    (tmp_path / "x.tar").write_bytes(header.tobuf() + b"a" * 4096)
    tally = Tally()
    assert numbers(tmp_path / "x.tar", tally) == []
    assert "a header of 1073741824 bytes" in str(tally.faults.listed()[0])


def test_progress_reports_the_bytes_of_the_files(tmp_path: Path) -> None:
    class Heard(Silent):
        total: int | None = 0
        done = 0

        def start(self, what: str, total: int | None = None) -> None:
            self.total = total

        def advance(self, n: int = 1) -> None:
            self.done += n

    (tmp_path / "x.xml.gz").write_bytes(gzip.compress(ONE))
    heard = Heard()
    assert list(read_patents([tmp_path / "x.xml.gz"], Tally(), progress=heard))
    assert heard.total == heard.done == (tmp_path / "x.xml.gz").stat().st_size


FORMS = {**{f"{name}.xml": data for name, data in BYTES.items()}, **OTHER_FORMS}


@settings(max_examples=150)
@given(st.sampled_from(sorted(FORMS)), st.integers(0, 1 << 20), st.binary(max_size=3), st.booleans())
def test_damaged_record_raises_nothing(
    tmp_path_factory: pytest.TempPathFactory, form: str, place: int, new: bytes, cut: bool
) -> None:
    data = FORMS[form]
    place %= len(data)
    damaged = data[:place] + new + (b"" if cut else data[place + len(new) :])
    path = tmp_path_factory.mktemp("fuzz") / form
    path.write_bytes(damaged)
    tally = Tally()
    found = list(read_patents([path], tally))
    assert len(found) <= 6
    if not found:
        assert tally.other_documents + sum(tally.faults.by_kind().values()) > 0


ARCHIVE_FILES = {name: data for name, data in PACKED.items() if "." in name and not name.endswith(".txt")}


@settings(max_examples=150)
@given(st.sampled_from(sorted(ARCHIVE_FILES)), st.lists(st.tuples(st.integers(0, 1 << 16), st.integers(0, 255)),
       min_size=1, max_size=4), st.booleans())  # fmt: skip
def test_damaged_archive_raises_nothing(
    tmp_path_factory: pytest.TempPathFactory, name: str, changes: list[tuple[int, int]], cut: bool
) -> None:
    data = bytearray(ARCHIVE_FILES[name])
    for place, value in changes:
        data[place % len(data)] = value
    path = tmp_path_factory.mktemp("fuzz") / name
    path.write_bytes(data[: changes[0][0] % len(data)] if cut else data)
    assert len(numbers(path)) <= 1


def test_text_that_is_no_archive_is_counted(tmp_path: Path) -> None:
    for name in ("x.zip", "x.tar", "x.xml.gz", "x.xml.zst"):
        (tmp_path / name).write_bytes(b"no archive" + zlib.compress(b"x"))
        tally = Tally()
        assert numbers(tmp_path / name, tally) == []
        assert tally.faults.by_kind() == {"unreadable files": 1}


@pytest.mark.parametrize("longest", [1 << 16, 1 << 18, 1 << 24])
@pytest.mark.parametrize("fault", [b"HOE & BLADE", b"HOE &undeclared; BLADE", b"<a></b>"])
def test_small_fault_loses_little_of_a_document_that_is_too_long_to_be_mended(
    longest: int, fault: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mending, "LONGEST", longest)
    head, _, rest = BYTES["docdb"].partition(b"<exch:exchange-document ")
    record = b"<exch:exchange-document " + rest.partition(b"<exch:exchange-document ")[0]
    record = record.replace(b"no hoe", b"no hoe &amp; blade")  # at an & the parser reads on to the next ;
    many = [record.replace(b"2004900001", b"2004%06d" % i) for i in range(600)]
    many[5] = many[5].replace(b"IMAGINARY HOE", fault)
    many[400] = many[400].replace(b"IMAGINARY HOE", b"<a></b>")
    (tmp_path / "x.xml").write_bytes(head + b"".join(many) + b"</exch:exchange-documents>")
    found = numbers(tmp_path / "x.xml")
    assert len(found) == len(set(found))
    assert (600 - len(found)) * len(record) < 2 * (1 << 17)


@pytest.mark.parametrize("longest", [1 << 12, 1 << 24])
@pytest.mark.parametrize("every", [1, 7, 50])
def test_entities_of_a_missing_dtd_cost_no_record(
    every: int, longest: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mending, "LONGEST", longest)
    head, _, rest = BYTES["docdb"].partition(b"<exch:exchange-document ")
    record = b"<exch:exchange-document " + rest.partition(b"<exch:exchange-document ")[0]
    many = [record.replace(b"2004900001", b"2004%06d" % i) for i in range(60)]
    many[::every] = [one.replace(b"IMAGINARY HOE", b"HOE&SACUTE;") for one in many[::every]]
    data = head[head.index(b"<exch:exchange-documents") :] + b"".join(many) + b"</exch:exchange-documents>"
    (tmp_path / "x.xml").write_bytes(data)
    tally = Tally()
    titles = [record.titles["en"] for record in read_patents([tmp_path / "x.xml"], tally)]
    assert titles == ["IMAGINARY HOE" if i % every else "HOEŚ" for i in range(60)]
    assert tally.faults.by_kind() == {}


@pytest.mark.parametrize("form", ["us-grant", "ep", "docdb", "patdoc", "jp-st96"])
@pytest.mark.parametrize("space", [b"", b"\n", b"\r\n \t"])
def test_documents_without_declarations_are_parted_where_their_root_ends(
    form: str, space: bytes, tmp_path: Path
) -> None:
    """As when files are put behind each other."""
    whole = BYTES[form]
    (tmp_path / "one.xml").write_bytes(whole)
    expected = numbers(tmp_path / "one.xml")
    root = next(place for place in range(len(whole)) if whole[place : place + 1] == b"<" and
                whole[place + 1 : place + 2].isalpha())  # fmt: skip
    bare = whole[root:].rstrip().replace(b"&ndash;", b"-")
    (tmp_path / "many.xml").write_bytes((bare + space) * 50)
    tally = Tally()
    assert numbers(tmp_path / "many.xml", tally) == expected * 50
    assert "broken XML documents" not in tally.faults.by_kind()


@pytest.mark.parametrize("size", range(1, 60))
def test_end_of_a_root_is_seen_across_chunks(size: int) -> None:
    one = b"<root>" + b"b" * 20 + b"</root >"
    found = []
    for document in DocumentStream(io.BytesIO((one + b"\n") * 3 + b"<!-- done -->"), 1 << 20):
        text, buffer = b"", bytearray(size)
        while n := document.readinto(memoryview(buffer)):
            text += buffer[:n]
        found.append(text)
    assert found == [one, one, one + b"\n<!-- done -->"]
