"""The private root against an apt-get of our own: a script that does as the real one says."""

import hashlib
import os
import time
from pathlib import Path

import pytest

from kakehashi.corpus.debian import apt
from kakehashi.corpus.debian.apt import AptRoot
from kakehashi.corpus.debian.apt_config import config_text
from kakehashi.errors import InputError, KakehashiError

APT_GET = """#!/bin/sh
shift
echo "$@" >> "$FAKE/calls"
case "$1" in
update)
  if [ -f "$FAKE/update-errors" ]; then cat "$FAKE/update-errors" >&2; exit 0; fi
  cp "$FAKE/available" "$FAKE/targets" ;;
indextargets) cat "$FAKE/targets" 2>/dev/null ; exit 0 ;;
download)
  if [ "$2" = --print-uris ]; then
    cat "$FAKE/uris"; cat "$FAKE/uri-errors" >&2
    [ ! -s "$FAKE/uri-errors" ]; exit
  fi
  if [ -f "$FAKE/gone" ]; then
    rm "$FAKE/gone"
    echo "E: Failed to fetch http://host.example/x  404  Not Found" >&2
    exit 100
  fi
  cp "$FAKE/lamp_1.deb" . ;;
esac
"""
DPKG_DEB = """#!/bin/sh
[ -f "$FAKE/broken" ] && { echo half > "$3/half"; echo "not a deb" >&2; exit 2; }
cp "$2" "$3/content"
"""
NO_NETWORK = "W: Failed to fetch http://host.example/x  Could not resolve 'host.example'\n"
TARGETS = """Identifier: Packages
Filename: {folder}/Packages
Origin: Lampian
Codename: bulb
Version: 3.1

Identifier: Translations
Language: de
Filename: {folder}/Translation-de

Identifier: Translations
Language: fr
Filename: {folder}/absent
"""


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that steers the false apt-get, which stands first in PATH."""
    folder, programs = tmp_path / "fake", tmp_path / "bin"
    folder.mkdir()
    programs.mkdir()
    scripts = {
        "apt-get": APT_GET,
        "dpkg-deb": DPKG_DEB,
        "dpkg": "#!/bin/sh\necho lamp64\n",
        "apt-helper": '#!/bin/sh\ncat "$2"\n',
    }
    for name, text in scripts.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    monkeypatch.setenv("FAKE", str(folder))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(apt, "HELPERS", str(programs))
    (folder / "Packages").write_bytes(b"Package: lamp\n")
    (folder / "Translation-de").write_bytes(b"Package: lamp\n")
    (folder / "available").write_text(TARGETS.format(folder=folder))
    (folder / "lamp_1.deb").write_bytes(b"a package")
    digest = hashlib.sha256(b"a package").hexdigest()
    (folder / "uris").write_text(f"'http://host.example/lamp_1.deb' lamp_1.deb 9 SHA256:{digest}\n")
    (folder / "uri-errors").write_text("")
    return folder


def calls(fake: Path) -> list[str]:
    return [line.split()[0] for line in (fake / "calls").read_text().splitlines()]


def test_the_index_is_fetched_once_a_day(fake: Path) -> None:
    AptRoot().update(["de"])
    AptRoot().update(["de"])
    assert calls(fake).count("update") == 1
    stamp = next((apt.cache_folder() / "stamps").iterdir())
    os.utime(stamp, (time.time() - apt.FRESH - 1,) * 2)
    AptRoot().update(["de"])
    AptRoot().update(["de"], force=True)
    assert calls(fake).count("update") == 3


def test_a_deleted_index_is_fetched_again(fake: Path) -> None:
    AptRoot().update([])
    (fake / "targets").unlink()
    AptRoot().update([])
    assert calls(fake).count("update") == 2


def test_indices_are_those_on_disk_and_read_as_bytes(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    (found,) = root.require("Packages")
    assert found.release == "Lampian bulb 3.1"
    assert b"".join(root.read(found)) == b"Package: lamp\n"


def test_an_absent_index_is_named(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    with pytest.raises(InputError, match="no Translation-fr index"):
        root.require("Translations", "fr")


def test_no_network_is_said_in_one_line_without_host_names(fake: Path) -> None:
    (fake / "update-errors").write_text(NO_NETWORK)
    with pytest.raises(KakehashiError, match="check the network") as caught:
        AptRoot().update(["de"])
    assert "host.example" not in str(caught.value)
    assert "\n" not in str(caught.value)
    assert caught.value.exit_status == 1


def test_an_older_index_serves_with_a_note_where_fetching_fails(fake: Path) -> None:
    AptRoot().update(["de"])
    (fake / "update-errors").write_text(NO_NETWORK)
    root = AptRoot()
    root.update(["de"], force=True)
    assert root.notes == ["some package indices could not be refreshed: older ones are used"]


def test_a_package_is_fetched_verified_and_unpacked_once(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    folder = root.package("lamp")
    assert (folder / "content").read_bytes() == b"a package"
    assert root.package("lamp") == folder
    assert (fake / "calls").read_text().splitlines().count("download lamp") == 1


def test_a_package_over_the_limit_is_not_fetched(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    (fake / "uris").write_text((fake / "uris").read_text().replace(" 9 ", f" {3 << 20} "))
    with pytest.raises(InputError, match="package lamp has 3 MiB, more than 2"):
        root.package("lamp", largest=2 << 20)
    assert "download lamp" not in (fake / "calls").read_text().splitlines()


def test_a_half_fetched_package_is_fetched_again(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    (root.folder / "debs" / "lamp_1.deb").write_bytes(b"a pa")
    assert (root.package("lamp") / "content").read_bytes() == b"a package"


def test_an_index_gone_stale_is_refreshed_once(fake: Path) -> None:
    root = AptRoot()
    root.update([])
    (fake / "gone").touch()
    assert (root.package("lamp") / "content").exists()
    assert calls(fake).count("update") == 2


def test_a_package_that_the_archive_lacks_is_named(fake: Path) -> None:
    (fake / "uris").write_text("")
    (fake / "uri-errors").write_text("E: Unable to locate package lamp\n")
    root = AptRoot()
    root.update([])
    with pytest.raises(InputError, match="package lamp is not in the archive"):
        root.package("lamp")


def test_a_package_that_cannot_be_unpacked_leaves_nothing(fake: Path) -> None:
    (fake / "broken").touch()
    root = AptRoot()
    root.update([])
    with pytest.raises(KakehashiError, match="cannot be unpacked"):
        root.package("lamp")
    assert list((root.folder / "unpacked").iterdir()) == []


def test_the_configuration_overrules_what_containers_switch_off() -> None:
    text = config_text(Path("/c/apt"), ["en", "de"], "lamp64", None)
    assert text.index("#clear Acquire::Languages;") < text.index('Acquire::Languages { "en"; "de"; };')
    assert 'Dir::State::lists "/c/apt/state/lists";' in text
    assert 'APT::Architectures { "lamp64"; };' in text
    assert 'Acquire::Languages { "none"; };' in config_text(Path("/c/apt"), [], "lamp64", None)


def test_the_systems_settings_come_before_ours(tmp_path: Path) -> None:
    (tmp_path / "mine.conf").touch()
    text = config_text(Path("/c/apt"), [], "lamp64", str(tmp_path / "mine.conf"))
    assert text.index(f'#include "{tmp_path}/mine.conf";') < text.index("Dir::State")


def test_a_cache_folder_that_apt_cannot_quote_is_refused() -> None:
    with pytest.raises(InputError, match="XDG_CACHE_HOME"):
        config_text(Path('/c/"apt'), [], "lamp64", None)
