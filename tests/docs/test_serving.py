"""The examples of the serving guide, sent to a real service."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kakehashi.corpus.world.build import build_world
from kakehashi.library import Library
from kakehashi.serve.limits import Limits
from tests.docs.pages import ROOT, read
from tests.serve.running import Running, running

PAGE = "docs/serving.md"
CURL = re.compile(r"^```sh\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PYTHON = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ADDRESS = "http://127.0.0.1:8080"


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    folder = tmp_path_factory.mktemp("docs") / "patents"
    build_world(folder, documents=500)
    Library(folder).build(only=("translation",))
    with running(folder) as found:
        yield found


def test_curl_examples_are_answered(service: Running, tmp_path: Path) -> None:
    codes = [code for code in CURL.findall(read(PAGE)) if "$TOKEN" not in code]
    assert len(codes) == 3
    for code in codes:
        command = code.replace(ADDRESS, service.address).replace("curl ", "curl --silent --fail ")
        subprocess.run(command, shell=True, cwd=tmp_path, check=True, capture_output=True)
    assert (tmp_path / "hits.xlsx").read_bytes().startswith(b"PK")


def test_python_examples_run(service: Running, tmp_path: Path) -> None:
    [code] = PYTHON.findall(read(PAGE))
    done = subprocess.run(
        [sys.executable, "-c", code.replace(ADDRESS, service.address)], cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("1 ")
    assert "6" in lines


def test_every_limit_and_problem_is_documented() -> None:
    from kakehashi.serve.problems import KINDS

    page = read(PAGE)
    assert [name for name in Limits.__struct_fields__ if f"`{name}`" not in page] == []
    assert [name for name in KINDS if f"`{name}`" not in page] == []
