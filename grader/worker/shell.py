"""Notebook cells in a child as a Jupyter kernel would run them: IPython's own shell, without a kernel's
sockets and threads. What the cells put out goes to the grader while they run.
"""

# mypy: allow-untyped-calls
from __future__ import annotations

import asyncio
import builtins
import contextlib
import functools
import getpass
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, NoReturn

from IPython.core.async_helpers import _asyncio_runner
from IPython.core.autocall import ZMQExitAutocall
from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError, UsageError
from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_magic, magics_class
from IPython.core.ultratb import FormattedTB
from IPython.display import Javascript, display
from IPython.utils.process import system  # type: ignore[attr-defined]
from traitlets import Instance, Type, default
from traitlets.config import Config

from grader.observing.calling import seed_all
from grader.worker.descriptors import Stream
from grader.worker.outputs import Outlet, short_error
from grader.worker.wire import MAX_FRAME, receive

INLINE = "module://matplotlib_inline.backend_inline"
CHANGED = ("__IPYTHON__", "display", "__main__")  # builtins and modules, by making a shell
AS_IN_A_KERNEL = {
    "NBGRADER_EXECUTION": "autograde",
    "MPLBACKEND": INLINE,
    "TERM": "xterm-color",
    "CLICOLOR": "1",
    "FORCE_COLOR": "1",
    "CLICOLOR_FORCE": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
}


class _Publisher(DisplayPublisher):
    def publish(  # type: ignore[override]
        self,
        data: dict[str, Any],
        metadata: dict[str, Any] | None = None,
        *,
        transient: dict[str, Any] | None = None,
        update: bool = False,
        **_: Any,
    ) -> None:
        self._validate_data(data, metadata)
        kind = "update_display_data" if update else "display_data"
        name = (transient or {}).get("display_id")
        name = None if name is None else str(name)
        shown = {"type": kind, "data": data, "metadata": metadata or {}, "display_id": name}
        self.shell.outlet.output(shown)

    def clear_output(self, wait: bool = False) -> None:
        self.shell.outlet.output({"type": "clear_output", "wait": bool(wait)})


class _Result(DisplayHook):
    shell: Any
    data: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None

    def start_displayhook(self) -> None:
        self.data = self.metadata = None

    def write_output_prompt(self) -> None:
        pass

    def write_format_data(self, format_dict: dict[str, Any], md_dict: dict[str, Any] | None = None) -> None:
        self.data, self.metadata = format_dict, md_dict

    def finish_displayhook(self) -> None:
        if self.data:
            result = {"type": "execute_result", "data": self.data, "metadata": self.metadata or {}}
            self.shell.outlet.output(result, deciding=True)
        self.data = self.metadata = None


@magics_class
class _KernelMagics(Magics):
    shell: Any

    """The magics of a kernel that notebooks hold; what they print there, they print here."""

    @line_magic
    def autosave(self, line: str) -> None:
        seconds = int(line)
        code = f"IPython.notebook.set_autosave_interval({1000 * seconds})"
        display(Javascript(code), include=["application/javascript"])
        print(f"Autosaving every {seconds} seconds" if seconds else "Autosave disabled")

    @line_magic
    def clear(self, line: str) -> None:
        self.shell.system("clear")


class Shell(InteractiveShell):
    """IPython's shell whose every output goes to `outlet`."""

    displayhook_class = Type(_Result)
    display_pub_class = Type(_Publisher)
    exiter = Instance(ZMQExitAutocall)
    autoindent = False
    keepkernel_on_exit: bool | None = None
    outlet: Outlet

    @default("exiter")
    def _default_exiter(self) -> ZMQExitAutocall:
        return ZMQExitAutocall(self)

    def ask_exit(self) -> None:
        """`exit()` ends nothing: the cells below are still to be run."""

    def init_virtualenv(self) -> None:
        pass

    def init_hooks(self) -> None:
        super().init_hooks()
        self.set_hook("show_in_pager", lambda *_, **__: None, 99)  # `name?` opens a pane, and puts out nothing

    def init_magics(self) -> None:
        super().init_magics()
        self.register_magics(_KernelMagics)

    def enable_gui(self, gui: str | None = None) -> None:
        if gui not in (None, "", "inline"):
            raise UsageError(f"Invalid GUI request {gui!r}, valid ones are: inline")

    def set_next_input(self, text: str, replace: bool = False) -> None:
        pass

    def _tee(self, channel: str) -> contextlib.AbstractContextManager[None]:  # type: ignore[override]
        return contextlib.nullcontext()  # IPython's own would remember all that is printed

    def _showtraceback(self, etype: type[BaseException], evalue: BaseException, stb: list[str]) -> None:
        self.outlet.output(short_error(etype.__name__, _said(evalue), map(str, stb)), deciding=True)

    def system(self, command: str) -> None:
        if command.rstrip().endswith("&"):
            raise OSError("Background processes not supported.")
        code = system(self.var_expand(command, depth=1))
        self.user_ns["_exit_code"] = code
        if code and getattr(self, "system_raise_on_error", False):
            raise CalledProcessError(code, command)

    system_piped = system


# Libraries (rich, tqdm and others) ask by this name whether they are in a notebook.
Shell.__name__ = Shell.__qualname__ = "ZMQInteractiveShell"


def warm_up() -> None:
    """Do once what takes IPython tens of milliseconds: to show where an error came from, and to make a shell."""
    try:
        raise ValueError
    except ValueError:
        FormattedTB(mode="Context").text(*sys.exc_info())
    hidden_shell()


@functools.cache
def hidden_shell() -> Callable[[], Shell]:
    """Make a shell of which nothing is seen, not by get_ipython() either, until a child calls what is returned."""
    config = Config()
    config.HistoryManager.enabled = False
    config.IPKernelApp.tqdm = "a notebook"  # by which tqdm knows one
    changed: tuple[dict[str, Any], ...] = (vars(builtins), sys.modules)
    before = [{name: names.get(name) for name in CHANGED} for names in changed]
    path = list(sys.path)
    shell = Shell(config=config)
    after = [{name: names.get(name) for name in CHANGED} for names in changed]
    for names, values in zip(changed, before, strict=True):
        _put(names, values)
    sys.path[:] = path

    def show() -> Shell:
        for kind in Shell._walk_mro():
            kind._instance = shell  # type: ignore[assignment]
        for names, values in zip(changed, after, strict=True):
            _put(names, values)
        return shell

    return show


def _put(names: dict[str, Any], values: dict[str, Any]) -> None:
    for name, value in values.items():
        if value is None:
            names.pop(name, None)
        else:
            names[name] = value


def serve_cells(link: socket.socket) -> NoReturn:
    """Show the shell; then take files and run cells as told, until the grader closes the link (Closed)."""
    shell, outlet, own = *_opened(link), os.getpid()
    loop = asyncio.new_event_loop()  # one for all cells, and running, as in a kernel
    asyncio.set_event_loop(loop)
    outlet.say({"op": "opened"})
    while True:
        message, blob = receive(link, json_cap=MAX_FRAME)  # the grader's own
        if message["op"] == "file":
            _write(message, blob)
            outlet.say({"op": "filed"})
            continue
        outlet.begin_cell()
        error = _run(shell, loop, message["source"], message["count"])
        if os.getpid() != own:  # the cell forked, and its copy came here, too
            os._exit(0)
        outlet.end_cell()
        outlet.say({"op": "ran", "error": error})


def _opened(link: socket.socket) -> tuple[Shell, Outlet]:
    seed_all(0)  # the same submission gets the same score
    os.environ.update(AS_IN_A_KERNEL)
    sys.argv = [""]
    if "matplotlib" in sys.modules:  # it has read the variable already
        sys.modules["matplotlib"].rcParams["backend"] = INLINE
    outlet = Outlet(link)
    sys.stdout, sys.stderr = Stream("stdout", 1, outlet), Stream("stderr", 2, outlet)
    builtins.input, getpass.getpass = _refusing("raw_input"), _refusing("getpass")
    shell = hidden_shell()()
    profile: Any = shell.profile_dir  # which was emptied after it was made
    Path(profile.location, "startup").mkdir(parents=True, exist_ok=True)
    shell.outlet = outlet
    return shell, outlet


def _refusing(name: str) -> Callable[..., Any]:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise StdinNotImplementedError(f"{name} was called, but this frontend does not support input requests.")

    return refuse


def _write(message: dict[str, Any], blob: bytes) -> None:
    """A piece of a file. What does not fit on the child's disk is missing, as a cell that needs it will say."""
    with contextlib.suppress(OSError):
        path = Path(message["path"])
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb" if message["first"] else "ab") as file:
            file.write(blob)
        path.chmod(message["mode"])


def _run(shell: Shell, loop: asyncio.AbstractEventLoop, source: str, count: int) -> dict[str, Any] | None:
    """Run one cell as number `count`; its error, also when that was not shown."""
    error: BaseException | None
    try:
        shell.execution_count = count
        result = loop.run_until_complete(_as_a_kernel_does(shell, source))
        error = result.error_before_exec or result.error_in_exec
    except BaseException as raised:
        error = raised
    if error is None:
        return None
    return short_error(type(error).__name__, _said(error), ())


async def _as_a_kernel_does(shell: Shell, source: str) -> Any:
    """A cell that awaits runs as a task of the loop, any other one as a plain call within it."""
    try:
        transformed, trouble = shell.transform_cell(source), None
    except Exception:
        transformed, trouble = source, sys.exc_info()
    more = {"transformed_cell": transformed, "preprocessing_exc_tuple": trouble}
    if shell.loop_runner is not _asyncio_runner or not shell.should_run_async(source, **more):
        return shell.run_cell(source, store_history=True)
    result = None
    try:
        result = await asyncio.ensure_future(shell.run_cell_async(source, store_history=True, **more))
    finally:
        shell.events.trigger("post_execute")
        shell.events.trigger("post_run_cell", result)
    return result


def _said(error: BaseException) -> str:
    try:
        return str(error)
    except BaseException:
        return "(its text cannot be read)"
