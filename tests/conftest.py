"""What holds for every test: no network, no settings and no data of whoever runs them."""

from __future__ import annotations

import atexit
import gc
import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Generator
from pathlib import Path

import certifi
import pytest
from hypothesis import settings

from tests.support.workers import pytest_addoption, pytest_runtestloop

__all__ = ["pytest_addoption", "pytest_runtestloop"]

collect_ignore = ["offline/sitecustomize.py"]
"""Not a test: processes of tests load it. Where Python has a module of that name, it cannot be collected."""

OFFLINE = Path(__file__).parent / "support" / "offline"
EXAMPLES = 25
"""Of each property, unless it says otherwise; the long counts try forty times as many."""
MEMORY = Path("/dev/shm")
"""Where Linux keeps files in memory: half of what tests waited for was the disk, which none of them is about."""
ROOM = 4 << 30
"""Bytes; no more than a tenth of it is ever taken."""
_END = "-----END CERTIFICATE-----\n"
"""Of a certificate. One is enough where nobody outside can be reached; every client would load a hundred of them."""

runpy.run_path(str(OFFLINE / "sitecustomize.py"))
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # else each of the processes that tests start would compile all anew
if "TMPDIR" not in os.environ and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM:
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
gc.set_threshold(50_000, 20, 50)  # also while all is imported and collected, of which next to nothing is garbage
settings.register_profile("fathom", deadline=None, max_examples=EXAMPLES)
settings.register_profile("soak", deadline=None, max_examples=1_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fathom"))


@pytest.fixture(autouse=True, scope="session")
def _a_world_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> None:
    for name in [name for name in os.environ if name.startswith("FATHOM_")]:
        del os.environ[name]
    home = tmp_path_factory.mktemp("home")
    os.environ |= {"HOME": str(home), "XDG_DATA_HOME": str(home / "data"), "FATHOM_RANKER": "none"}
    certificate = home / "certificate.pem"
    certificate.write_text(certifi.contents().partition(_END)[0] + _END, encoding="utf-8")
    certifi.where = lambda: str(certificate)
    os.environ["SSL_CERT_FILE"] = str(certificate)
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(OFFLINE), os.environ.get("PYTHONPATH"))))


@pytest.fixture
def read_here() -> Generator[None]:
    """Files of data are read in this process, by the same server: for tests of what is made of its answers."""
    from tests.support.reading_here import ServerHere

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("fathom.tools.stdio.StdioServer", ServerHere)
        yield


def pytest_collection_finish() -> None:
    """What was imported and collected stays: looking through it for garbage took an eighth of the time of all tests."""
    gc.collect()
    gc.freeze()
    atexit.register(gc.unfreeze)  # modules of C++ call what is left at the end a leak


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where nobody reads along, a test that was skipped is a promise that was not checked.

    One that is expected to fail, with a reason, was run and did.
    """
    report = yield
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") in ("1", "true"):
        report.outcome = "failed"
        report.longrepr = f"skipped under CI: {report.longrepr}"
    return report
