"""Parallel text from the archive: catalogues of desktop programs and a dictionary, as one table with weights.

Entries are written with their shares; the learner decides how much an entry counts.
"""

from collections.abc import Iterator
from pathlib import Path

from kakehashi.corpus import lines
from kakehashi.corpus.debian.apt import AptRoot
from kakehashi.corpus.debian.build import update_index
from kakehashi.corpus.parallel_text.aligned_lines import line_of
from kakehashi.corpus.parallel_text.catalogues import files_of_language, read_usable
from kakehashi.corpus.parallel_text.selection import Selection, Tally
from kakehashi.corpus.parallel_text.sentence_pair import Languages, SentencePair
from kakehashi.corpus.parallel_text.sources import parallel_text
from kakehashi.errors import FileError, InputError
from kakehashi.progress import SILENT, Progress, track

LARGEST = 16 << 20  # maximum size of one package in bytes
# Programs with many messages, whose translations come with them and are small.
PROGRAMS = [
    "abiword-common", "anjuta-common", "aptitude-common", "audacity-data", "bash", "binutils-common",
    "bluefish-data", "brasero-common", "claws-mail-i18n", "coreutils", "darktable", "dia-common",
    "digikam-data", "dolphin", "dpkg", "dpkg-dev", "epiphany-browser-data", "evince-common",
    "evolution-common", "evolution-data-server-common", "filezilla-common", "geany-common",
    "gedit-common", "gettext", "gimp-data", "gnome-control-center-data", "gnucash-common",
    "gnumeric-common", "gnupg-l10n", "gparted", "gramps", "grisbi-common", "grub-common", "gthumb-data",
    "gutenprint-locales", "homebank-data", "k3b-data", "kaddressbook", "kate5-data", "kdenlive-data",
    "kio", "kmail", "kmymoney-common", "konsole", "korganizer", "krita-l10n", "libgtk-3-common",
    "liferea-data", "lokalize", "lyx-common", "nautilus-data", "okular", "pidgin-data",
    "plasma-desktop-data", "poedit-common", "rhythmbox-data", "shotwell-common", "skrooge-common",
    "subversion", "sudo", "synaptic", "tellico-data", "totem-common", "transmission-common", "umbrello",
    "util-linux-locales", "vlc-l10n", "wget", "xournalpp",
]  # fmt: skip
DICTIONARIES = {  # language -> package and its file
    "de": ("trans-de-en", "usr/share/trans/de-en"),
    "ja": ("edict", "usr/share/edict/edict"),
}


def build_parallel_text(
    path: Path, language: str, force: bool = False, root: AptRoot | None = None, progress: Progress = SILENT
) -> dict[str, int]:
    """Write rows for `read_columns`; missing or oversized packages and broken catalogues are reported."""
    if not lines.stem(path).endswith(".tsv"):
        raise InputError(f"{path}: name the file X.tsv, X.tsv.gz or X.tsv.zst")
    if path.exists() and not force:
        raise FileError(path, None, "already exists: choose another name or add --force")
    root = root or AptRoot()
    update_index(root, [], progress)
    sentences, entries = Tally("messages"), Tally("dictionary")
    selection, languages = Selection(), Languages(language, "en")
    with lines.write_file(path) as file:
        for tally, pairs in (
            (sentences, _messages(root, languages, progress)),
            (entries, _entries(root, languages, progress)),
        ):
            for pair in selection.choose(pairs, tally):
                tally.used += 1
                file.write(line_of(pair).encode())
    return {
        "pairs of messages": sentences.used,
        "pairs of a dictionary": entries.used,
        "pairs dropped (untranslated)": sentences.left_out["untranslated"] + entries.left_out["untranslated"],
        "pairs dropped (duplicate)": sentences.left_out["duplicate"] + entries.left_out["duplicate"],
    }


def _messages(root: AptRoot, languages: Languages, progress: Progress) -> Iterator[SentencePair]:
    for name in track(PROGRAMS, "fetching programs", len(PROGRAMS), progress):
        files = files_of_language(_package(root, name), languages.source)
        yield from read_usable(files, languages, True, lambda error: root.notes.append(str(error)))


def _entries(root: AptRoot, languages: Languages, progress: Progress) -> Iterator[SentencePair]:
    if languages.source not in DICTIONARIES:
        return
    name, file = DICTIONARIES[languages.source]
    path = _package(root, name) / file
    if path.is_file():
        yield from track(parallel_text(str(path), languages).read(), "reading a dictionary", None, progress)


def _package(root: AptRoot, name: str) -> Path:
    """The unpacked package; a folder that does not exist if this release does not have it."""
    try:
        return root.package(name, LARGEST)
    except InputError as error:
        root.notes.append(str(error))
        return Path("/nonexistent")
