"""Cells in the sandbox put out what a Jupyter kernel driven by nbclient puts out, whatever they do."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.preprocessors import Execute

from grader.sandbox.limits import Limits, WorkerBroken
from grader.sandbox.notebook_run import CellRun, run_notebook
from grader.sandbox.sandbox import Sandbox
from tests.variants import variants

Json = dict[str, Any]
HERE = Path(__file__).parent
ENDED = "ended the whole program (os._exit, or a crash of Python itself)"

# --- the same as a kernel ---------------------------------------------------------------------------------------------

RICH = """
class Rich:
    def _repr_html_(self): return "<b>rich</b>"
    def _repr_latex_(self): return "$x$"
    def _repr_svg_(self): return "<svg/>"
    def _repr_png_(self): return b"\\x89PNG\\r\\n\\x1a\\n123"
    def _repr_json_(self): return {"a": [1, None, "x"]}
Rich()
"""
CELLS = {
    "nothing": "x = 1",
    "a comment": "# only a comment",
    "a value": "x + 41",
    "a value with a semicolon": "x + 41;",
    "a string": "'words and \\u2603'",
    "text and a value": "print('one')\nprint('two')\nx",
    "standard error": "import sys\nprint('out')\nprint('err', file=sys.stderr)",
    "a warning": "import warnings\nwarnings.warn('careful')",
    "a log record": "import logging\nlogging.warning('look')",
    "an exception": "def f(a):\n    return a / 0\nf(1)",
    "a chained exception": "try:\n    {}['k']\nexcept KeyError as e:\n    raise ValueError('bad') from e",
    "an assertion": "assert x == 2, f'x is {x}'",
    "a bare assertion": "assert x == 2",
    "a group of exceptions": "raise ExceptionGroup('several', [ValueError(1), TypeError(2)])",
    "text before an exception": "print('before')\nraise RuntimeError('after')",
    "a syntax error": "def f(:\n    pass",
    "an indentation error": "if x:\nprint(1)",
    "a syntax error at run time": "eval('1 +')",
    "an unknown name": "nothing_of_that_name",
    "the end of the program": "import sys\nsys.exit(3)",
    "a keyboard interrupt": "raise KeyboardInterrupt",
    "input": "input('name? ')",
    "a password": "import getpass\ngetpass.getpass()",
    "the last value": "7\n_",
    "earlier inputs and outputs": "print(In[1], Out[3], _3, _i3)",
    "the module": "print(__name__, '__file__' in globals(), f.__module__)",
    "await": "import asyncio\nawait asyncio.sleep(0.01)\n'awaited'",
    "an exception that is awaited": "async def g(): raise OSError('no')\nawait g()",
    "a task that goes on": "async def h(): return 5\ntask = asyncio.ensure_future(h())",
    "a task that is done": "print(await task)",
    "a second loop": "later = h()\ntry:\n    asyncio.run(later)\nfinally:\n    later.close()",
    "display": "display(1, 'two', {'three': 3})",
    "rich representations": RICH,
    "html": "from IPython.display import HTML, Markdown, Image, JSON, Math\nHTML('<i>x</i>')",
    "several rich things": "display(Markdown('*m*'), Math('x^2'))\nJSON({'a': 1})",
    "raw data": "display({'text/plain': 'r', 'application/x+json': {'y': 1}}, raw=True, metadata={'m': {'n': 1}})",
    "an update": "handle = display('first', display_id='shown')\nhandle.update('second')",
    "an update from below": "from IPython.display import update_display\nupdate_display('third', display_id='shown')",
    "a cleared output": "from IPython.display import clear_output\nprint('gone')\nclear_output()\nprint('stays')",
    "an output that waits to be cleared": "print('gone')\nclear_output(wait=True)\nprint('stays')",
    "an output that is never cleared": "print('stays')\nclear_output(wait=True)",
    "a broken representation": "class Bad:\n    def __repr__(self): raise ValueError('no repr')\nBad()",
    "a figure": "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])",
    "a figure and a semicolon": "plt.plot([1, 2, 3]);",
    "two figures and text": "plt.figure()\nplt.figure()\nprint('two')",
    "a figure that is shown": "plt.plot([1])\nplt.show()\nprint('after')",
    "a figure that is returned": "fig, ax = plt.subplots()\nfig",
    "a figure before an exception": "plt.plot([1])\nraise ValueError('after the figure')",
    "the inline magic": "%matplotlib inline\nplt.plot([1]);",
    "the backend": "import matplotlib\nprint(matplotlib.get_backend())",
    "a figure in svg": "%config InlineBackend.figure_formats = ['svg']\nplt.plot([1]);",
    "a line magic": "%time y = 5",
    "a cell magic": "%%time\ny = 6\ny",
    "timeit": "%timeit -n1 -r1 x",
    "capture": "%%capture captured\nprint('inside')",
    "captured": "captured.stdout",
    "writefile": "%%writefile made.py\nMADE = 3",
    "run": "%run made.py\nMADE",
    "an import of what was written": "import made\nmade.MADE",
    "who": "%who_ls int",
    "an extension": "%load_ext autoreload\n%autoreload 2",
    "an unknown magic": "%no_such_magic",
    "an unknown cell magic": "%%no_such_magic\nx",
    "autosave": "%autosave 0",
    "a command": "!echo hello",
    "a command that fails": "!false\n_exit_code",
    "a command with a variable": "name = 'ada'\n!echo {name}",
    "a command's lines": "lines = !printf 'a\\nb'\nlines",
    "bash": "%%bash\necho out\necho err >&2",
    "bash that fails": "%%bash\nexit 3",
    # a kernel hears of these three when it comes to it
    "the modules that follow need": "import os, time",
    "a program": "import subprocess\nsubprocess.run(['echo', 'from a program'])\ntime.sleep(0.6)",
    "a shell command": "os.system('echo from a shell')\ntime.sleep(0.6)",
    "a descriptor": "os.write(1, b'straight\\n')\ntime.sleep(0.6)",
    "help": "len?",
    "a file beside the notebook": "open('data/table.csv').read()",
    "a module beside the notebook": "import helper\nhelper.HELP",
    "the environment": "os.environ['PAGER'], os.environ['NBGRADER_EXECUTION'], os.environ['TERM']",
    "the streams": "sys.stdout.isatty(), sys.stdout.encoding, hasattr(sys.stdout, 'buffer')",
    "the shell": "type(get_ipython()).__name__, 'IPKernelApp' in get_ipython().config",
    "text to bytes": "sys.stdout.write(b'bytes')",
    "its own exception handler": "get_ipython().showtraceback = lambda *a, **k: None\nraise LookupError('hidden')",
    "the end": "print('end')",
}
FILES = {"data/table.csv": "a,b\n1,2\n", "helper.py": "HELP = 'helped'\n"}
BUILD = re.compile(
    r"0x[0-9a-f]{6,}|\d[\d.]* ?(ns|[µμu]s|ms|s)\b|(/\S+/ipykernel_\d+/)?\b\d+\.py|<ipython-input-[^\s>]+>"
    r"|/\S+/site-packages|\x1b\[[\d;]*m|CPU times: .*\n(Wall time: .*)?"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What lies beside the notebook."""
    folder = tmp_path_factory.mktemp("beside")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def by_kernel(folder: Path) -> dict[str, Json]:
    """Each cell as nbgrader's own preprocessor leaves it, which drives a kernel by nbclient."""
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS.values()])
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("PYTEST_CURRENT_TEST")  # ipykernel would leave the descriptors alone
        patch.setenv("NBGRADER_EXECUTION", "autograde")
        patch.setenv("MPLCONFIGDIR", str(folder))
        Execute().preprocess(notebook, {"metadata": {"path": str(folder)}})
    return dict(zip(CELLS, notebook.cells, strict=True))


@pytest.fixture(scope="module")
def by_us(sandboxes: Callable[[str], Sandbox], folder: Path) -> dict[str, CellRun]:
    """Each cell as it comes from the sandbox."""
    files = {name: folder / name for name in FILES}
    return dict(zip(CELLS, run_notebook(sandboxes("process"), list(CELLS.values()), files, 30.0), strict=True))


@pytest.mark.parametrize("name", CELLS)
def test_a_cell_puts_out_what_a_kernel_puts_out(
    by_kernel: Mapping[str, Json], by_us: Mapping[str, CellRun], name: str
) -> None:
    ours = by_us[name]
    expected = normal(by_kernel[name].outputs)
    assert normal(ours.outputs) == expected
    assert (ours.execution_count, ours.lost) == (by_kernel[name].execution_count, "")


def normal(outputs: list[Json]) -> list[Json]:
    """Outputs without what differs from run to run. A kernel sends its two streams in no fixed order, and
    nbgrader adds an error of no type to the one of a representation.
    """
    outputs = [output for output in outputs if output.get("ename") != "NoneType"]
    made: list[Json] = []
    for streams, group in groupby(outputs, lambda output: output["output_type"] == "stream"):
        if not streams:
            made += [_normal_output(output) for output in group]
            continue
        texts: dict[str, str] = {}
        for output in group:
            texts[output["name"]] = texts.get(output["name"], "") + output["text"]
        made += [{"output_type": "stream", "name": name, "text": _build(texts[name])} for name in sorted(texts)]
    return made


def _normal_output(output: Json) -> Json:
    if output["output_type"] == "error":
        lines = _build("\n".join(output["traceback"])).splitlines()
        own = [line.rstrip() for line in lines if "Cell In[" in line or line.startswith("---->")]
        return {"ename": output["ename"], "evalue": _build(output["evalue"]), "traceback": own}
    data = {
        mime: "a drawing" if mime == "image/svg+xml" and len(value) > 500 else _build(json.dumps(value))
        for mime, value in output["data"].items()
    }
    return {**output, "data": data}


def _build(text: str) -> str:
    return BUILD.sub("*", text)


def test_all_outputs_make_a_valid_notebook(by_us: Mapping[str, CellRun]) -> None:
    _assert_valid(list(by_us.values()))


def _assert_valid(runs: list[CellRun]) -> None:
    cells = [
        new_code_cell("x", execution_count=run.execution_count, outputs=[nbformat.from_dict(o) for o in run.outputs])
        for run in runs
    ]
    nbformat.validate(new_notebook(cells=cells), relax_add_props=False)
    json.dumps([run.outputs for run in runs], ensure_ascii=False, allow_nan=False).encode()


# --- cells that are lost ----------------------------------------------------------------------------------------------


def run(sandbox: Sandbox, *cells: str, files: Mapping[str, Path] | None = None, seconds: float = 2.0) -> list[CellRun]:
    """Run cells, see that what came is valid, and that the slot can be used on."""
    runs = run_notebook(sandbox, cells, files or {}, seconds)
    assert len(runs) == len(cells)
    _assert_valid(runs)
    return runs


def texts(cell: CellRun) -> list[str]:
    """What a cell put out, in short: its streams, values and names of errors."""
    return [
        output.get("text") or output.get("ename") or output["data"].get("text/plain", "") for output in cell.outputs
    ]


LETHAL = {
    "it leaves": "import os; os._exit(0)",
    "it is killed": "import os; os.kill(os.getpid(), 9)",
    "it crashes": "import ctypes; ctypes.string_at(0)",
    "its group is killed": "import os; os.killpg(0, 9)",
    "its link is closed": "import os; os.closerange(3, 200)",
}


@pytest.mark.parametrize("name", LETHAL)
def test_a_cell_that_ends_the_process_is_lost_alone(sandbox: Sandbox, name: str) -> None:
    first, lost, last = run(sandbox, "print('one'); x = 1", "print('here')\n" + LETHAL[name], "x += 1; x")
    assert texts(first) == ["one\n"]
    assert (texts(lost), lost.lost) == (["here\n", "ProcessEnded"], ENDED)
    assert (texts(last), last.execution_count, last.lost) == (["2"], 3, "")


HANGS = {
    "an endless loop": "while True: pass",
    "a long sleep": "import time; time.sleep(100)",
    "a stubborn loop": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
    "a coroutine": "import asyncio; await asyncio.sleep(100)",
    "a command": "!sleep 100",
    "a child that is waited for": "import os\nif not os.fork():\n    import time; time.sleep(100)\nos.wait()",
    "an output": "class Slow:\n    def __repr__(self):\n        while True: pass\nSlow()",
    "a hook": "def hook(*_):\n    while True: pass\nget_ipython().events.register('post_run_cell', hook)",
}


@pytest.mark.parametrize("name", variants(HANGS, short=("an endless loop", "a stubborn loop", "a command")))
def test_a_cell_that_hangs_is_stopped_alone(any_sandbox: Sandbox, name: str) -> None:
    any_sandbox.start()
    started = time.monotonic()
    first, lost, last = run(any_sandbox, "x = 1", "print('here')\n" + HANGS[name], "x += 1; x", seconds=1.0)
    assert (first.outputs, first.lost) == ([], "")
    assert (texts(lost), lost.lost) == (["here\n", "CellTimeoutError"], "was still running after 1 s and was stopped")
    assert lost.outputs[-1]["evalue"] == "This cell was still running after 1 s and was stopped."
    assert (texts(last), last.lost) == (["2"], "")
    assert time.monotonic() - started < 20


def test_outputs_of_cells_that_run_again_are_those_of_the_first_time(any_sandbox: Sandbox) -> None:
    first, *_, last = run(any_sandbox, "import time; t = time.time(); print(t)", "import os; os._exit(1)", "print(t)")
    assert texts(first) != texts(last)


def test_a_cell_that_hangs_when_it_runs_again_keeps_its_outputs(any_sandbox: Sandbox) -> None:
    once = (
        "import os, time\nprint('first')\nif os.path.exists('../seen'): time.sleep(100)\nopen('../seen', 'w').close()"
    )
    first, lost, last = run(any_sandbox, once, "os._exit(1)", "print('last')", seconds=1.0)
    assert (texts(first), first.lost) == (["first\n"], "")
    assert (texts(lost)[-1], texts(last)) == ("ProcessEnded", ["last\n"])


def test_after_a_dozen_children_the_rest_is_not_run(any_sandbox: Sandbox) -> None:
    runs = run(any_sandbox, *["import os; os._exit(1)"] * 15)
    assert [texts(cell) for cell in runs] == [["ProcessEnded"]] * 13 + [["CellNotRun"]] * 2
    assert (runs[-1].execution_count, runs[-1].lost) == (
        None,
        "was not run, since cells were stopped or ended the program 13 times",
    )


def test_all_cells_together_have_a_dozen_times_the_seconds_of_one(any_sandbox: Sandbox) -> None:
    any_sandbox.start()
    started = time.monotonic()
    runs = run(any_sandbox, *["import time; time.sleep(0.35)"] * 20, seconds=0.5)
    assert time.monotonic() - started < 20
    assert not runs[0].lost
    assert runs[-1].lost == "was not run, since the cells above and it had 6 s together"
    assert [texts(cell) for cell in runs if cell.lost][1:] == [["CellNotRun"]] * (sum(bool(c.lost) for c in runs) - 1)


def test_cells_of_no_code_are_no_cells_that_ran(any_sandbox: Sandbox) -> None:
    assert run(any_sandbox, "", " \n", "1")[:2] == [CellRun([], None), CellRun([], None)]
    assert run(any_sandbox) == []


def test_without_a_worker_it_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho torch is not installed >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr("sys.executable", str(broken))
    with Sandbox("process", Limits()) as sandbox, pytest.raises(WorkerBroken, match="torch is not installed"):
        run_notebook(sandbox, ["1"], {}, 1.0)


# --- bounds -----------------------------------------------------------------------------------------------------------

FLOODS = {
    "lines": "while True: print('x' * 100)",
    "single characters": "import sys\nwhile True: sys.stdout.write('x')",
    "long texts": "while True: print('x' * 10_000_000)",
    "text for a descriptor": "import os\nwhile True: os.write(1, b'x' * 10_000)",
    "a program's text": "!yes",
    "a program's text for a descriptor": "import os; os.system('yes'); 1 / 0",
    "outputs": "while True: display({'text/plain': 'x' * 100_000}, raw=True)",
    "small outputs": "while True: display(1)",
    "updates": "h = display(1, display_id=True)\nwhile True: h.update('x' * 100_000)",
    "outputs of one name": "while True: display('x' * 1000, display_id='name')",
    "clearing": "from IPython.display import clear_output\nwhile True: print('x' * 10_000); clear_output()",
    "errors": "while True: get_ipython().showtraceback((ValueError, ValueError('x' * 100_000), None))",
    "two streams": "import sys\nwhile True: print('o'); print('e', file=sys.stderr)",
    "threads": (
        "import threading\ndef talk():\n    while True: print('thread')\n"
        "for _ in range(4): threading.Thread(target=talk).start()\ntalk()"
    ),
}


@pytest.mark.parametrize(
    "name", variants(FLOODS, short=("lines", "text for a descriptor", "a program's text", "outputs", "two streams"))
)
def test_a_flood_is_cut_within_the_time_of_a_cell(any_sandbox: Sandbox, name: str) -> None:
    any_sandbox.start()
    started = time.monotonic()
    flooded, last = run(any_sandbox, FLOODS[name], "print('last')", seconds=1.0)
    assert time.monotonic() - started < 20
    assert texts(last) == ["last\n"]
    assert len(json.dumps(flooded.outputs)) < 12 * 2**20
    assert flooded.outputs[-1]["output_type"] == "error"


def test_much_text_is_cut_with_a_line_that_says_so(any_sandbox: Sandbox) -> None:
    (cell,) = run(any_sandbox, "for _ in range(100_000): print('ä' * 10)\n5", seconds=10.0)
    text, result = texts(cell)
    assert text.endswith("\n... Output truncated ...\n")
    assert 2**20 <= len(text.encode()) < 2**20 + 100
    assert result == "5"


def test_a_result_is_kept_below_any_amount_of_display(any_sandbox: Sandbox) -> None:
    shown = "for _ in range(100): display({'text/plain': 'x' * 1_000_000}, raw=True)\n"
    scored, failed = run(any_sandbox, shown + "0.5", shown + "assert False", seconds=10.0)
    assert texts(scored)[-1] == "0.5"
    assert texts(failed)[-1] == "AssertionError"


def test_all_cells_together_are_bounded(any_sandbox: Sandbox) -> None:
    runs = run(any_sandbox, *["display({'text/plain': 'x' * 7_000_000}, raw=True)\n1"] * 7, seconds=10.0)
    assert len(json.dumps([cell.outputs for cell in runs])) < 33 * 2**20
    assert all(texts(cell)[-1] == "1" for cell in runs)


# --- whatever a student does to the worker ----------------------------------------------------------------------------

HOSTILE = {
    "no builtins": "del __builtins__",
    "fewer builtins": "import builtins\ndel builtins.len, builtins.str, builtins.BaseException",
    "no stdout": "import sys\nsys.stdout = sys.stderr = None",
    "a closed stdout": "import sys\nsys.stdout.close()",
    "closed descriptors": "import os\nos.close(1); os.close(2)",
    "a patched shell": "type(get_ipython()).run_cell = lambda *a, **k: 5",
    "a patched traceback": "type(get_ipython())._showtraceback = lambda *a: 1 / 0\n1 / 0",
    "no shell": "type(get_ipython()).clear_instance()",
    "an outlet of its own": "get_ipython().outlet = None",
    "a hook that raises": "def hook(*_): raise SystemExit\nget_ipython().events.register('pre_run_cell', hook)",
    "a transformer": "get_ipython().input_transformers_post.append(lambda lines: 1 / 0)",
    "a stopped loop": "import asyncio\nasyncio.get_event_loop().stop()",
    "an alarm": "import signal\nsignal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)\nsignal.signal(14, lambda *_: 1 / 0)",
    "a fork": "import os\nos.fork()\nprint('both')",
    "a thread that talks on": (
        "import threading, time\ndef talk():\n    while True: print('talk'); time.sleep(0.001)\n"
        "threading.Thread(target=talk).start()"
    ),
    "a daemon": "import subprocess\nsubprocess.Popen(['sleep', '100'], start_new_session=True)",
    "an error without a text": "class E(Exception):\n    def __str__(self): raise SystemExit\nraise E",
    "an error of odd names": "raise type('\\ud800' * 1000, (Exception,), {})('\\udfff' * 100_000)",
    "a count of its own": "get_ipython().execution_count = 10 ** 30",
    "odd data": "display({'text/plain': 5, 'application/json': [float('nan'), 1e400, '\\ud800']}, raw=True)",
    "deep data": "d = []\nfor _ in range(500): d = [d]\ndisplay({'application/json': d}, raw=True)",
    "data that is no JSON": "display({'application/json': object()}, raw=True)",
    "data in itself": "d = []; d.append(d)\ndisplay({'application/json': d}, raw=True)",
    "data of odd keys": "display({5: 'x', '': 'y', None: 'z'}, raw=True, metadata={1: 2})",
    "much memory": "x = bytearray(10 ** 12)",
    "its folder is gone": "import os, shutil\nshutil.rmtree(os.getcwd())",
    "patched modules": "import json, os, time\njson.dumps = time.monotonic = os.getpid = None",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_the_worst_that_a_student_gets_is_wrong_outputs(any_sandbox: Sandbox, name: str) -> None:
    any_sandbox.start()
    started = time.monotonic()
    run(any_sandbox, "x = 1", HOSTILE[name], "print('next')", "1 / 0")
    assert time.monotonic() - started < 20
    assert texts(run(any_sandbox, "print('fine')")[0]) == ["fine\n"]


LINK = """
import json, os, socket, struct, time
def find():
    for fd in range(3, 200):
        try:
            link = socket.socket(fileno=os.dup(fd))
            link.getpeername()
            return link
        except OSError:
            pass
def frame(message, blob=b""):
    text = message if isinstance(message, bytes) else json.dumps(message).encode()
    return struct.pack("!II", len(text), len(blob)) + text + blob
def out(event): return frame({"op": "output"}, event if isinstance(event, bytes) else json.dumps(event).encode())
def data(**fields): return {"type": "display_data", "data": {}, "metadata": {}, "display_id": None, **fields}
link = find()
"""
LIES = {
    "no op": "frame({})",
    "an op that is a list": "frame({'op': []})",
    "no frame": "b'x' * 100",
    "half a frame": "frame({'op': 'output'})[:5]",
    "a huge frame": "struct.pack('!II', 10, 2 ** 31)",
    "no JSON": "out(b'{')",
    "bytes": "out(b'\\xff\\xfe')",
    "deep JSON": "out(b'[' * 100_000)",
    "a number": "out(5)",
    "an unknown type": "out({'type': 'pickle'})",
    "a type that is a list": "out({'type': []})",
    "a field more": "out(data(more=1))",
    "a stream of another name": "out({'type': 'stream', 'name': 'stdin', 'text': 'x'})",
    "a stream of no text": "out({'type': 'stream', 'name': 'stdout', 'text': [1]})",
    "data that is a list": "out(data(data=[1]))",
    "metadata that is a text": "out(data(metadata='x'))",
    "a name that is a list": "out(data(display_id=[1]))",
    "an error of numbers": "out({'type': 'error', 'ename': 1, 'evalue': 2, 'traceback': 3})",
    "a traceback of numbers": "out({'type': 'error', 'ename': 'E', 'evalue': 'v', 'traceback': [1]})",
    "a last error that is a text": "frame({'op': 'ran', 'error': 'x'})",
    "a last error of no fields": "frame({'op': 'ran', 'error': {}})",
    "no last error": "frame({'op': 'ran'})",
}


@pytest.mark.parametrize("name", LIES)
def test_an_answer_that_is_none_of_ours_ends_the_program(any_sandbox: Sandbox, name: str) -> None:
    lie = f"{LINK}link.sendall({LIES[name]})\nlink.close()\nos._exit(0)"
    first, lost, last = run(any_sandbox, "x = 1", lie, "x")
    assert (first.lost, texts(lost)) == ("", ["ProcessEnded"])
    assert lost.lost in (ENDED, "gave back more than 64 MB")  # what is no frame reads as a long one
    assert texts(last) == ["1"]


def test_answers_without_end_do_not_move_the_deadline(any_sandbox: Sandbox) -> None:
    events = "data(data={'application/json': [[]] * 1000})", "{'type': 'clear_output', 'wait': False}"
    for event in events:
        any_sandbox.start()
        started = time.monotonic()
        lost, last = run(any_sandbox, f"{LINK}f = out({event})\nwhile True: link.sendall(f)", "5", seconds=1.0)
        assert (lost.lost, texts(last)) == ("was still running after 1 s and was stopped", ["5"])
        assert time.monotonic() - started < 20


# --- where the cells run ----------------------------------------------------------------------------------------------


def test_files_stand_in_the_folder_of_the_cells_and_nothing_else_does(sandbox: Sandbox, tmp_path: Path) -> None:
    (tmp_path / "large.bin").write_bytes(bytes(range(256)) * 40_000)
    (tmp_path / "tool.sh").write_text("#!/bin/sh\necho tool\n")
    (tmp_path / "tool.sh").chmod(0o755)
    (tmp_path / "link").symlink_to(tmp_path / "tool.sh")
    names = ("large.bin", "tool.sh", "link", "missing", ".")
    files = {f"a/{name}": tmp_path / name for name in names} | {
        "../up": tmp_path / "tool.sh",
        "/abs": tmp_path / "tool.sh",
    }
    cells = (
        "%matplotlib inline",
        "import os\nsorted(os.path.join(f, n) for f, _, names in os.walk('.') for n in names)",
        "open('a/large.bin', 'rb').read() == bytes(range(256)) * 40_000",
        "!a/tool.sh",
        "os.path.exists('../up')",
    )
    _, listed, same, tool, up = run(sandbox, *cells, files=files)
    assert texts(listed) == ["['./a/large.bin', './a/tool.sh']"]
    assert (texts(same), texts(tool), texts(up)) == (["True"], ["tool\r\n"], ["False"])


def test_nothing_of_one_notebook_is_there_for_the_next(sandbox: Sandbox) -> None:
    cell = "import os\nprint(sorted(os.listdir()), 'x' in globals(), sorted(os.listdir(os.environ['HOME'])))"
    before = texts(run(sandbox, cell)[0])[0].split(")")[0]
    starts = sandbox.starts
    run(sandbox, "x = 1\nopen('left', 'w').close()\nopen(os.environ['HOME'] + '/left', 'w').close()")
    run(sandbox, "import os\nx = 1\nopen('left', 'w').close()\nopen(os.environ['HOME'] + '/left', 'w').close()\n!true")
    after = texts(run(sandbox, cell)[0])[0]
    assert after.startswith("[] False")
    assert "'left'" not in after
    assert before.startswith("[] False")
    assert sandbox.starts == starts


def test_no_thread_runs_beside_the_cells(any_sandbox: Sandbox) -> None:
    (cell,) = run(any_sandbox, "import threading, os\nlen(threading.enumerate()), len(os.listdir('/proc/self/task'))")
    assert texts(cell) == ["(1, 1)"]


def test_the_same_cells_draw_the_same_numbers(any_sandbox: Sandbox) -> None:
    cell = "import random, numpy, torch\nrandom.random(), numpy.random.rand(), torch.rand(1)"
    assert texts(run(any_sandbox, cell)[0]) == texts(run(any_sandbox, cell)[0])


def test_a_worker_that_scores_plain_code_has_no_shell(any_sandbox: Sandbox, session_of: Callable[..., Any]) -> None:
    with session_of(any_sandbox, "import IPython\ndef f(): return str(IPython.get_ipython())") as session:
        session.begin_question()
        assert session.call("f", ()).value.text == "None"


def test_an_output_full_of_commas_is_no_output_of_too_many_values(any_sandbox: Sandbox) -> None:
    shown, following = run(any_sandbox, "from IPython.display import HTML\nHTML(',' * 700_000)", "print('fine')")
    assert (shown.lost, following.lost) == ("", "")
