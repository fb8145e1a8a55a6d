"""A worker's process: started with nothing of the outside in it, and ended with its folder."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from grader.sandbox.isolation import PACKAGE, Isolation, environment, wrap
from grader.worker.removal import end_group, remove

START = """
import sys
from pathlib import Path
sys.path.insert(0, {home!r})
from grader.worker.{module} import main
main(sys.argv[1], [Path(folder) for folder in sys.argv[2:]])
"""


class Launched:
    """A process that runs `main` of a module of the worker, which gets `told` and the folders that it may write to.

    `secrets` are told in its environment, which is nobody else's to read.
    """

    def __init__(
        self,
        isolation: Isolation,
        module: str,
        told: str,
        pass_fds: Sequence[int] = (),
        secrets: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="grader-slot-")) if isolation == "process" else None
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (it lives as long as the process)
        code = START.format(home=str(PACKAGE.parent), module=module)
        try:
            self.process = subprocess.Popen(
                wrap([sys.executable, "-s", "-P", "-c", code, told], self.folder),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=self._said,
                pass_fds=pass_fds,
                env={**environment(isolation, self.folder), **secrets},
                start_new_session=True,
            )
        except BaseException:
            self._forget()
            raise

    def last_line(self) -> str:
        """What it said last on standard error."""
        self._said.seek(0)
        lines = self._said.read()[-2_000:].decode(errors="replace").strip().splitlines()
        return lines[-1] if lines else ""

    def end(self) -> None:
        """Kill it and its group (inside bubblewrap: all that lives in the namespace), and remove its folder."""
        if hasattr(os, "killpg"):
            end_group(self.process.pid)
        self.process.kill()
        self.process.wait()
        self._forget()

    def _forget(self) -> None:
        self._said.close()
        if self.folder is not None:
            remove(self.folder)
