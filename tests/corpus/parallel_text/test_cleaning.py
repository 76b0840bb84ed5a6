"""What a program marks in its messages is no language."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kakehashi.corpus.parallel_text.cleaning import same_letters, tidy, without_marks


def test_spaces_case_and_punctuation_do_not_make_a_translation() -> None:
    assert same_letters("Click OK .", "click “OK”.")
    assert not same_letters("Klicken", "Click")
    assert not same_letters("見出し 1", "見出し 2")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("_File", "File"),
        ("E&xit", "Exit"),
        ("Sp_eichern unter …", "Speichern unter …"),
        ("ファイル(_F)", "ファイル"),
        ("開く(&O)...", "開く..."),
        ("R&D of salt &amp; pepper", "R&D of salt & pepper"),
        ("my_file_name", "my_file_name"),
        ("%d of %s files", "of files"),
        ("%1$s wrote %2$-5.2f\n", "wrote"),
        ("%(count)d rows in {table}, {0}, ${HOME}, %1", "rows in , , ,"),
        ("100%% done, 5 % discount", "100% done, 5 % discount"),
        ("<b>Bold</b> and <a href='x'>link</a>", "Bold and link"),
        ("Insert &section", "Insert section"),
        ("Insert &section;", "Insert section;"),
        ("&copy; 1999 &#228;&#xe4; &notit", "© 1999 ää notit"),
        ("100% a day, 50% discount", "100% a day, 50% discount"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("line\none\x00\x07two\ufeff", "line one two"),
    ],
)
def test_a_message_reads_as_its_user_sees_it(message: str, text: str) -> None:
    assert without_marks(message) == text


@settings(max_examples=300)
@given(st.text(max_size=60) | st.text(alphabet="%$(){}_&<>as1 \x00\n", max_size=60))
def test_any_text_becomes_one_clean_line(text: str) -> None:
    for clean in (tidy(text), without_marks(text)):
        assert clean == " ".join(clean.split())
        assert not any(ord(character) < 32 for character in clean)
