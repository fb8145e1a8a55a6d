"""Real servers for tests: PostgreSQL and JupyterLab, each started in a folder of its own and stopped again."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import psutil

from tests.warm import warm

ROOT = Path(__file__).parent.parent
ASSIGNMENT = "l10_attention"
CLASS = ROOT / "tests/submissions" / ASSIGNMENT
POSTGRESQL = "/usr/lib/postgresql"
FAST = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=16MB", "listen_addresses=")
TOKEN = "only-for-this-test"
SETTINGS = {
    "apputils-extension/notification": '{"fetchNews": "false", "checkForUpdates": false}',
    "notebook-extension/tracker": '{"windowingMode": "none"}',  # else cells out of sight are not in the page
}
SECONDS = 120.0  # to start; a loaded machine with two cores has needed twenty


def postgresql_trouble() -> str | None:
    """Why no PostgreSQL can be started here, or None."""
    if _postgresql_bin() is None:
        return f"initdb and postgres are not in {POSTGRESQL}/*/bin: apt install postgresql"
    if os.geteuid() == 0 and _server_user() is None:
        return "PostgreSQL does not run as root, and there is no user `postgres`: apt install postgresql"
    return None


@contextmanager
def postgresql() -> Iterator[str]:
    """A PostgreSQL of its own, on a unix socket in a temporary folder; yields the URL of an empty database."""
    binaries, user = _postgresql_bin(), _server_user()
    assert binaries is not None, postgresql_trouble()
    # Not pytest's tmp_path: that stands in folders which the server's user may not enter.
    folder = Path(tempfile.mkdtemp(prefix="postgresql-"))
    if user is not None:
        os.chown(folder, user, -1)
    try:
        initdb = [f"{binaries}/initdb", "--auth=trust", "--username=grader", "--no-sync", "--encoding=UTF8"]
        _run_as(user, folder, [*initdb, "--locale=C", f"{folder}/data"])
        options = [part for one in (*FAST, f"unix_socket_directories={folder}") for part in ("-c", one)]
        server = [f"{binaries}/postgres", "-D", f"{folder}/data", *options]
        with _process(server, folder, signal.SIGINT, user=user) as runs:
            ready = [f"{binaries}/pg_isready", "--quiet", "--host", str(folder)]
            _wait("PostgreSQL", folder, runs, lambda: subprocess.run(ready, check=False).returncode == 0)
            # The driver by name: which one a bare postgresql:// means differs between versions of SQLAlchemy.
            yield f"postgresql+psycopg2://grader@/postgres?host={folder}"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def jupyterlab(course: Path, home: Path) -> Iterator[str]:
    """JupyterLab in a course's folder, with nothing of the user's home; yields its URL, without the token.

    The token is `TOKEN`. Settings, kernels' connection files and the log stand in `home`.
    """
    settings = home / "config/lab/user-settings/@jupyterlab"
    for name, text in SETTINGS.items():
        file = settings / f"{name}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    options = {"IdentityProvider.token": TOKEN, "ServerApp.ip": "127.0.0.1", "LabApp.extension_manager": "readonly"}
    flags = [f"--{name}={value}" for name, value in options.items()]
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", *flags]
    with _process(command, home, signal.SIGTERM, cwd=course, env=environment(home)) as runs:
        _wait("JupyterLab", home, runs, lambda: _answers(_address(home)))
        yield _address(home)


def running_for(home: Path) -> list[str]:
    """The command lines of what the JupyterLab of `home` has started and not ended: kernels, say."""
    (file,) = (home / "runtime").glob("jpserver-*.json")
    server = psutil.Process(json.loads(file.read_text())["pid"])
    return [" ".join(process.cmdline()) for process in server.children(recursive=True)]


def environment(home: Path) -> dict[str, str]:
    """The environment of Jupyter's and nbgrader's commands with nothing of the user's home in it.

    nbgrader runs `alembic` from PATH, which is not there when the tests run in an environment not activated.
    """
    places = {"HOME": "", "IPYTHONDIR": "ipython", "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data"}
    own = {name: str(home / place) for name, place in {**places, "JUPYTER_RUNTIME_DIR": "runtime"}.items()}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    return os.environ | own | {"PATH": path}


def copy_course(folder: Path, students: Sequence[str]) -> Path:
    """The course in a folder of its own, in which some students of tests/submissions/ handed in; that folder."""
    for name in ("solutions", "exercises"):
        shutil.copytree(ROOT / name, folder / name)
    for name in ("course_config.py", "nbgrader_config.py"):
        shutil.copy(ROOT / name, folder)
    for student in students:
        (folder / "submitted" / student / ASSIGNMENT).mkdir(parents=True)
        shutil.copy(CLASS / student / "attention.ipynb", folder / "submitted" / student / ASSIGNMENT)
    return folder


def nbgrader(course: Path, *arguments: str) -> str:
    """Run `nbgrader` in a course's folder; what it said. Fails the test unless it ends with exit code 0."""
    home = course.parent / "home"
    command = warm(str(Path(sys.executable).parent / "nbgrader"), *arguments)
    ran = subprocess.run(command, cwd=course, env=environment(home), capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def _postgresql_bin() -> Path | None:
    found = [one.parent for one in Path(POSTGRESQL).glob("*/bin/initdb") if (one.parent / "postgres").is_file()]
    return max(found, key=lambda path: float(path.parent.name), default=None)


def _server_user() -> int | None:
    """The user id to run PostgreSQL as, or None for the user that runs the tests."""
    if os.geteuid() != 0:
        return None
    try:
        return pwd.getpwnam("postgres").pw_uid
    except KeyError:
        return None


def _run_as(user: int | None, cwd: Path, command: list[str]) -> None:
    ran = subprocess.run(command, cwd=cwd, user=user, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


@contextmanager
def _process(
    command: list[str],
    folder: Path,
    stop: signal.Signals,
    *,
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    user: int | None = None,
) -> Iterator[subprocess.Popen[bytes]]:
    """A server that writes its log to `folder`/log, stopped at the end, by force if it does not stop in 20 s."""
    with (folder / "log").open("wb") as log:
        runs = subprocess.Popen(
            command, cwd=cwd or folder, env=env, user=user, stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
    try:
        yield runs
    finally:
        runs.send_signal(stop)
        try:
            runs.wait(20)
        except subprocess.TimeoutExpired:
            runs.kill()
            runs.wait()


def _wait(name: str, folder: Path, runs: subprocess.Popen[bytes], ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not ready():
        if runs.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"{name} did not start:\n{(folder / 'log').read_text(errors='replace')}")
        time.sleep(0.1)


def _address(home: Path) -> str:
    """Where the server listens, which it writes down once it does, for it takes another port if one is taken."""
    for file in (home / "runtime").glob("jpserver-*.json"):
        try:
            return str(json.loads(file.read_text())["url"])
        except (ValueError, KeyError):
            return ""
    return ""


def _answers(url: str) -> bool:
    if not url:
        return False
    try:
        with urlopen(f"{url}api/status?token={TOKEN}", timeout=5) as answer:
            return int(answer.status) == 200
    except OSError:
        return False
