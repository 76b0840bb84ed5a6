"""Programs as translators: what they get, what is read, and every way they may fail."""

import shlex
import sys
import time
from pathlib import Path

import pytest

from kakehashi.errors import InputError
from kakehashi.lexicon.command import Command
from kakehashi.lexicon.external import External, TranslatorError
from kakehashi.lexicon.remembered import Remembered
from kakehashi.lexicon.translator import Translation

QUICK = 20.0  # seconds; far more than any of these programs needs
ECHO = "import sys\nfor line in sys.stdin: print(line.upper(), end='')"


def program(folder: Path, code: str, arguments: str = "") -> str:
    path = folder / "program.py"
    path.write_text(code, encoding="utf-8")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))} {arguments}".strip()


def translator(folder: Path, code: str, arguments: str = "", seconds: float = QUICK) -> External:
    return External(Command(program(folder, code, arguments), "", seconds))


def shell(code: str, seconds: float) -> External:
    """Starts at once even where Python takes seconds."""
    return External(Command(shlex.join(["sh", "-c", code]), "", seconds))


def refused(each: External, *sentences: list[str], n: int = 1) -> str:
    with pytest.raises(TranslatorError) as caught:
        each.translate(sentences or [["ein", "Haus"]], n)
    message = str(caught.value)
    assert "\n" not in message
    assert message.startswith("translator 'command:")
    assert message.endswith("then rerun: finished translations are kept")
    return message


def gone(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet counts as ended."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
        except FileNotFoundError:
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


def test_every_sentence_is_a_line_of_text(tmp_path: Path) -> None:
    found = translator(tmp_path, ECHO).translate([["Ein", "Haus,"], [], ["größer", "日本語"]])
    assert found == [
        [Translation(("EIN", "HAUS,"), (), 0.0)],
        [Translation((), (), 0.0)],
        [Translation(("GRÖSSER", "日本語"), (), 0.0)],
    ]


def test_what_would_break_a_line_does_not_reach_the_program(tmp_path: Path) -> None:
    found = translator(tmp_path, ECHO).translate([["a\nb", "c\0d\re"], ["\ud800x"], ["\n"]])
    assert [each[0].words for each in found] == [("A", "B", "C", "D", "E"), ("X",), ()]


def test_lists_are_read_in_the_form_of_moses(tmp_path: Path) -> None:
    code = """
import sys
n = int(sys.argv[1].partition("=")[2])
for number, line in enumerate(sys.stdin):
    for k in range(n):
        print(f"{number} ||| {line.strip()} v{k} ||| LM= -1 ||| {-k - 0.5}" if k else f"{number}|||best|||-0.25")
"""
    found = translator(tmp_path, code, "--n={n}").translate([["x", "|||"], ["y"]], n=3)
    assert found[0] == [
        Translation(("best",), (), -0.25),
        Translation(("x", "|", "v1"), (), -1.5),
        Translation(("x", "|", "v2"), (), -2.5),
    ]
    assert [len(each) for each in found] == [3, 3]


def test_list_is_put_in_order_and_cut_at_n(tmp_path: Path) -> None:
    code = "for score in (-3, -1, -2): print(f'0 ||| w{-score} ||| {score}')"
    [found] = translator(tmp_path, code, "{n}").translate([["x"]], n=2)
    assert [each.words for each in found] == [("w1",), ("w2",)]


def test_program_that_knows_no_lists_gives_one_translation(tmp_path: Path) -> None:
    assert translator(tmp_path, ECHO).translate([["x"]], n=50) == [[Translation(("X",), (), 0.0)]]


def test_blank_line_lets_the_sentence_pass_through(tmp_path: Path) -> None:
    code = "import sys\nfor i, line in enumerate(sys.stdin): print('' if i else line.upper().strip())"
    found = translator(tmp_path, code).translate([["Ein", "Haus"], ["Linux"]])
    assert [each[0].words for each in found] == [("EIN", "HAUS"), ("Linux",)]


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("import sys; sys.stderr.write('one\\n\\x1b[2Jout of memory\\n\\n'); sys.exit(3)",
         "failed with status 3, saying: [2Jout of memory;"),
        ("import os; os.kill(os.getpid(), 11)", "was ended by signal 11;"),
        ("pass", "wrote 0 lines for 2 sentences;"),
        ("print('a\\nb\\nc')", "wrote 3 lines for 2 sentences;"),
        ("import sys; sys.stdout.buffer.write(b'gut\\n\\xff\\xfe\\n')", "not UTF-8 in line 2 of its output;"),
        ("print('a\\0b\\nc')", "answered 'ein Haus' with a NUL character;"),
        ("print('x' * 20_000 + '\\nc')", "answered 'ein Haus' with 20,000 characters;"),
        ("print('\\n')", "answered 2 sentences with only white space;"),
    ],
    ids=["status", "signal", "empty", "lines", "utf8", "nul", "long", "blank"],
)  # fmt: skip
def test_failure_and_nonsense_are_named(code: str, message: str, tmp_path: Path) -> None:
    assert message in refused(translator(tmp_path, code), ["ein", "Haus"], ["am", "See"])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["0 ||| a ||| -1", "nonsense"], "wrote 'nonsense' in line 2 of its list"),
        (["0 ||| a ||| -1", "2 ||| b ||| -1"], "with a number below 2"),
        (["0 ||| a ||| -1", "-1 ||| b ||| -1"], "with a number below 2"),
        (["0 ||| a ||| -1", "1 ||| b ||| good"], "'1 ||| b ||| good' in line 2"),
        (["0 ||| a ||| -1", "1 ||| b ||| nan"], "'1 ||| b ||| nan' in line 2"),
        (["0 ||| a ||| 1 ||| 2 ||| 3", "1 ||| b ||| -1"], "in line 1 of its list"),
        (["0 ||| a ||| -1", "0 ||| b ||| -2"], "wrote a list without sentence 1 of 2"),
        ([], "wrote a list without sentence 0 of 2"),
    ],
)
def test_lists_with_bad_numbers_are_refused(lines: list[str], message: str, tmp_path: Path) -> None:
    each = translator(tmp_path, f"print({chr(10).join(lines)!r})" if lines else "", "{n}")
    assert message in refused(each, ["x"], ["y"], n=5)


def test_endless_output_is_cut_off(tmp_path: Path) -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 65536)"
    assert "wrote more than 40," in refused(translator(tmp_path, code))


def test_endless_complaints_fill_no_memory_and_no_pipe(tmp_path: Path) -> None:
    code = "import sys\nfor i in range(200): sys.stderr.write(f'{i} ' * 10_000 + '\\n')\nsys.exit(1)"
    assert "failed with status 1, saying: " in refused(translator(tmp_path, code))


@pytest.mark.parametrize(
    "code",
    [
        "sleep 600",
        "exec >&- 2>&-; sleep 600",
        "trap '' TERM INT HUP; sleep 600",
        "while :; do echo .; sleep 0.1; done",
    ],
    ids=["sleeps", "closes its pipes", "ignores signals", "drips"],
)
def test_program_that_hangs_is_killed(code: str, tmp_path: Path) -> None:
    message = refused(shell(f"echo $$ > {shlex.quote(str(tmp_path / 'pid'))}; {code}", seconds=2.0))
    assert "did not finish within 2 seconds (--set timeout=)" in message
    assert gone(int((tmp_path / "pid").read_text()))


def test_input_that_nobody_reads_holds_nobody_up(tmp_path: Path) -> None:
    sentences = [["word" * 100] * 60] * 40  # a megabyte, many times what a pipe takes
    each = translator(tmp_path, "for _ in range(40): print('x')")
    assert each.translate(sentences)[39] == [Translation(("x",), (), 0.0)]
    slow = translator(tmp_path, "import time; time.sleep(600)", seconds=1.0)
    assert "did not finish within 1 seconds" in refused(slow, *sentences)


def test_children_of_a_hanging_program_are_killed_with_it(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    assert "did not finish" in refused(shell(f"sleep 600 & echo $! > {shlex.quote(str(pid))}; wait", 2.0))
    assert gone(int(pid.read_text()))


def test_child_left_behind_with_the_pipe_open_holds_nobody_up(tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    each = shell(f"sleep 600 & echo $! > {shlex.quote(str(pid))}; echo done", QUICK)
    found = each.translate([["x"]])
    assert found == [[Translation(("done",), (), 0.0)]]
    assert gone(int(pid.read_text()))


def open_files() -> int:
    return len([*Path("/proc/self/fd").iterdir()])


def test_nothing_stays_open_after_failures(tmp_path: Path) -> None:
    refused(translator(tmp_path, "raise SystemExit(1)"))
    before = open_files()
    for _ in range(5):
        refused(translator(tmp_path, "raise SystemExit(1)"))
    assert open_files() <= before


def test_program_that_cannot_be_started_is_named(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no program")
    missing = External(Command(str(tmp_path / "absent"), "", QUICK))
    assert "absent' cannot be started: No such file or directory;" in refused(missing)
    assert "Permission denied" in refused(External(Command(str(tmp_path / "text"), "", QUICK)))
    for line, message in (("", "has no program"), ("mt 'x", "No closing quotation")):
        with pytest.raises(InputError, match=message):
            Command(line, "", QUICK)


def test_what_came_before_a_failure_is_kept(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = f"""
import os, sys
lines = sys.stdin.read().splitlines()
open({str(log)!r}, "a").write("".join(line + "\\n" for line in lines))
if "w35" in lines and os.path.exists({str(tmp_path / "broken")!r}):
    sys.exit("the disk is on fire")
for line in lines: print(line.upper())
"""
    sentences = [[f"w{i}"] for i in range(40)]
    (tmp_path / "broken").touch()
    with pytest.raises(TranslatorError, match="failed with status 1, saying: the disk is on fire"):
        Remembered(translator(tmp_path, code), tmp_path / "kept").translate(sentences)
    (tmp_path / "broken").unlink()
    log.unlink()
    found = Remembered(translator(tmp_path, code), tmp_path / "kept").translate(sentences)
    assert [each[0].words for each in found] == [(f"W{i}",) for i in range(40)]
    assert log.read_text().split() == [f"w{i}" for i in range(32, 40)]


def test_another_command_or_label_is_another_translator() -> None:
    names = [("mt --a", ""), ("mt --b", ""), ("mt --a", "second")]
    assert len({External(Command(line, label, QUICK)).identity for line, label in names}) == 3
    again = External(Command("mt --a", "", 5.0))  # patience changes no answer
    assert again.identity == External(Command("mt --a", "", QUICK)).identity
