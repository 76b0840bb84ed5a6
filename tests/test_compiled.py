"""Machine code is loaded from a folder that nobody else can write to, or from none that outlives the process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kakehashi.compiled import IN_USE

ROOT = Path(__file__).parents[1]
SHOWN = "from kakehashi.compiled import config; from pathlib import Path; import os; "
SHOWN += "print(config.CACHE_DIR, oct(Path(config.CACHE_DIR).stat().st_mode & 0o777))"


def cache_folder(**environment: str) -> tuple[Path, str]:
    """(the folder of the cache in a process of its own, its mode)"""
    plain = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment}
    done = subprocess.run(
        [sys.executable, "-c", SHOWN], env=plain, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    place, mode = done.stdout.split()
    return Path(place), mode


def test_a_cache_of_ones_own_is_used_and_kept(tmp_path: Path) -> None:
    place, mode = cache_folder(XDG_CACHE_HOME=str(tmp_path))
    assert place.is_relative_to(tmp_path)
    assert mode == "0o700"
    assert place.is_dir()


@pytest.mark.parametrize("home", ["/dev/null", "shared", "shared above"])
def test_without_a_safe_cache_each_process_has_its_own(tmp_path: Path, home: str) -> None:
    shared = tmp_path / "shared"
    (shared / "below").mkdir(parents=True)
    shared.chmod(0o777)  # anybody could put a folder of their own in the place of ours
    given = {"/dev/null": "/dev/null", "shared": str(shared), "shared above": str(shared / "below")}[home]
    place, mode = cache_folder(HOME="/dev/null", XDG_CACHE_HOME=given, TMPDIR=str(tmp_path))
    assert place.parent == tmp_path
    assert mode == "0o700"
    assert not place.exists()  # it went with its process
    assert cache_folder(HOME="/dev/null", XDG_CACHE_HOME=given, TMPDIR=str(tmp_path))[0] != place


def test_a_shared_folder_where_nobody_can_move_what_is_ours_will_do(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)
    assert cache_folder(XDG_CACHE_HOME=str(tmp_path))[0].is_relative_to(tmp_path)


def test_what_another_process_uses_is_kept_and_what_nobody_uses_is_removed(tmp_path: Path) -> None:
    place, _ = cache_folder(XDG_CACHE_HOME=str(tmp_path))
    others = [place.with_name(f"{number:016x}") for number in range(8)]
    for age, other in enumerate(others):
        other.mkdir(mode=0o700)
        os.utime(other, (1_000_000 - age, 1_000_000 - age))
    oldest = others[-1]
    user = "import fcntl, os, sys; held = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT, 0o600);"
    user += "fcntl.flock(held, fcntl.LOCK_SH); print('ready', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", user, str(oldest / IN_USE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as using:
        assert using.stdout is not None
        assert using.stdout.readline() == b"ready\n"
        os.utime(oldest, (1, 1))
        cache_folder(XDG_CACHE_HOME=str(tmp_path))
        assert place.is_dir()
        assert [other.is_dir() for other in others] == [True] * 4 + [False] * 3 + [True]
        using.kill()
    cache_folder(XDG_CACHE_HOME=str(tmp_path))
    assert not oldest.exists()


MULTIPLIED = """
import sys
import numpy as np
from kakehashi.compiled import kernel

@kernel
def doubled(x):
    return x + x

@kernel
def product(a, b):
    return np.dot(a, b)

doubled(1.0)
print("numba.np.arraymath" in sys.modules, product(np.eye(2) * 3, np.ones(2)).tolist())
"""


LATER = """
import numpy as np
from kernels import doubled, kernel

@kernel
def twice(x):
    return doubled(x) + np.arange(3).sum()

print(twice(2.0))
"""


def test_numba_is_readied_for_compiling_by_what_is_compiled_alone(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(MULTIPLIED, encoding="utf-8")  # a cached function needs a file
    (tmp_path / "later.py").write_text(LATER, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "XDG_CACHE_HOME": str(tmp_path)}
    environment.pop("NUMBA_CACHE_DIR", None)

    def shown(script: str) -> list[str]:
        command = [sys.executable, tmp_path / script]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.split("\n")

    assert shown("kernels.py")[0] == "True [3.0, 3.0]"
    assert shown("kernels.py")[0] == "False [3.0, 3.0]"  # from the cache, and multiplies nevertheless
    assert shown("later.py")[:2] == ["False [3.0, 3.0]", "7.0"]  # what was loaded serves what is compiled
