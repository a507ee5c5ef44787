"""The `neurok` command: finds the verb, parses its options, and turns faults into one line and an exit code.

Exit codes: 0 done, 2 a fault in what was given, 3 done and doubtful (--strict), 130 interrupted. A traceback is a bug
of ours.
"""

import contextlib
import difflib
import io
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any, TextIO

import neurok
from neurok.commands.doubts import StrictFault
from neurok.errors import NeurokError, OptionError, unknown

# verb -> what it does, in the order of the help; the module has the verb's name, the class its capital
VERBS = {
    "animate": "make an object move under pulls, pushes, gravity, wind, contact, and write the motion",
    "test": "drop, throw, tilt, drag or blow at an object: what is it made of?",
    "fit": "bring an object into the shape of a target, or drag a few of its points",
    "sample": "draw several plausible states of an object",
    "states": "show what each coordinate of an object's state space does, one clip each",
    "articulate": "find the joints of a mesh; write URDF, MJCF, USD, GLB or JSON",
    "materials": "say what the parts of an object are probably made of, and why",
    "generate": "make an object from words: a kind, its parts, materials, colours and sizes",
    "scene": "put several objects together from words or a file, let them settle, and let a hand move them",
    "check": "load a simulator's file in MuJoCo, drop it, sweep its joints, and say what is wrong with it",
    "view": "show an object in the browser: drag it, throw it, export what it did",
    "share": "write a motion as one page that opens in any browser, without a network",
    "render": "draw a motion as a film strip, or a mesh as a picture",
    "parts": "list the parts of an object that other verbs understand by name, and draw them",
    "inspect": "say what a file holds, what is wrong with it, and what will be done about it",
    "convert": "write a mesh, a motion or a jointed object in another format",
    "doctor": "say what this installation has, and which command adds what it lacks",
    "data": "motions to learn from; `neurok data --help` lists its own verbs",
    "train": "learn the state spaces of objects from a store of motions",
    "evaluate": "how good it is, measured on known motions; `neurok evaluate --help` lists its own verbs",
}

# Verbs that stand for a group of verbs: packages of this folder with a dict VERBS of their own.
GROUPS = ("data", "evaluate")

HELP = f"""usage: neurok VERB ... | --help | --version

Makes a static 3D object move.

{"".join(f"  {verb:<12}{text}{chr(10)}" for verb, text in VERBS.items())}
`neurok VERB --help` lists the options of a verb.

  neurok inspect laptop.urdf
  neurok animate laptop.urdf --pull 0,0.2,0.1:0,0,-0.1 -o laptop.glb -o laptop.mp4
"""


def main(args: list[str] | None = None) -> int:
    """Run one command line; the exit code."""
    args = sys.argv[1:] if args is None else list(args)
    with _prepare_process():
        try:
            code = _dispatch(args)
            sys.stdout.flush()
            return code
        except NeurokError as fault:
            _complain(str(fault))
            return 3 if isinstance(fault, StrictFault) else 2
        except MemoryError:
            _complain("this needs more memory than there is; use a smaller mesh or fewer frames.")
            return 2
        except KeyboardInterrupt:
            _complain("interrupted; only files that were complete are kept.")
            return 130
        except BrokenPipeError:
            # The reader of our output has gone; keep the interpreter from complaining about it at its end.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 141


@contextlib.contextmanager
def _prepare_process() -> Iterator[None]:
    """The process as a command wants it: being stopped clears up, warnings are notes, any name can be printed."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    first = threading.current_thread() is threading.main_thread()  # elsewhere, signals are someone else's
    before = signal.signal(signal.SIGTERM, _stop) if first else None
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _note_warning
            yield
    finally:
        if first:
            signal.signal(signal.SIGTERM, before)


def _dispatch(args: list[str]) -> int:
    if not args or args[0] in ("-h", "--help", "help"):
        print(HELP, end="", file=sys.stdout if args else sys.stderr)
        return 0 if args else 2
    if args[0] in ("--version", "-V"):
        print(f"neurok {neurok.__version__}")
        return 0
    verb, rest = _find_verb("verb", args[0], VERBS), args[1:]
    if verb in GROUPS:
        verbs = import_module(f"neurok.commands.{verb}").VERBS
        if not rest or rest[0] in ("-h", "--help", "help"):
            print(_write_group_help(verb, verbs), end="", file=sys.stdout if rest else sys.stderr)
            return 0 if rest else 2
        verb, rest = f"{verb} {_find_verb(f'verb of {verb}', rest[0], verbs)}", rest[1:]
    command = parse(verb, rest)
    if command is None:  # its help was asked for and is printed
        return 0
    command.run()
    return 0


def _find_verb(kind: str, verb: str, verbs: Mapping[str, str]) -> str:
    if verb in verbs:
        return verb
    close = difflib.get_close_matches(verb, verbs, n=1)
    if close:
        raise OptionError(f"unknown {kind} '{verb}'", f"did you mean '{close[0]}'? The verbs are: {', '.join(verbs)}")
    raise unknown(kind, verb, verbs)


def _write_group_help(group: str, verbs: Mapping[str, str]) -> str:
    lines = "".join(f"  {verb:<13}{text}\n" for verb, text in verbs.items())
    listed = f"`neurok {group} VERB --help` lists the options of a verb.\n"
    return f"usage: neurok {group} VERB ...\n\n{VERBS[group].split(';')[0].capitalize()}.\n\n{lines}\n{listed}"


def parse(verb: str, args: list[str]) -> Any:
    """The verb's dataclass, filled from its options; None where its help was printed instead."""
    import tyro

    module = import_module(f"neurok.commands.{verb.replace(' ', '.')}")
    words = [word.capitalize() for word in verb.split()]
    kind = getattr(module, "".join(words), None) or getattr(module, words[-1])
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            command, extra = tyro.cli(kind, prog=f"neurok {verb}", args=args, return_unknown_args=True)
    except SystemExit as end:
        if not end.code:
            return None
        raise OptionError(_unbox(said.getvalue(), verb), f"`neurok {verb} --help` lists its options") from None
    if extra:
        raise _explain_unexpected(verb, kind, extra[0])
    return command


def _explain_unexpected(verb: str, kind: type, token: str) -> OptionError:
    if not token.startswith("-"):
        return OptionError(f"'{token}' is one argument too many", f"`neurok {verb} --help` shows the usage")
    name = token.split("=")[0]
    known = [f"--{field.name.replace('_', '-')}" for field in fields(kind)]
    close = difflib.get_close_matches(name, known, n=1)
    remedy = f"did you mean {close[0]}? " if close else ""
    return OptionError(f"{verb} has no option {name}", f"{remedy}`neurok {verb} --help` lists its options")


def _unbox(text: str, verb: str) -> str:
    """The sentence inside the box in which tyro reports a fault."""
    words = _one_line(re.sub(r"\x1b\[[0-9;]*m|[╭╮╰╯│─]|-{3,}", " ", text)).partition("For full helptext")[0]
    missing = re.search(r"Missing from neurok [\w ]+: (\S+)", words)
    if missing:
        return f"{verb} needs {missing[1]}"
    bare = re.search(r"Missing value for argument '([^']+)'", words)
    return f"{bare[1]} has no value" if bare else words


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _complain(text: str) -> None:
    from neurok.commands.say import make_printable

    print(f"neurok: {make_printable(_one_line(text))}", file=sys.stderr)


def _note_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Warnings of ours are notes for the user; those of other packages are for developers (python -X dev)."""
    if Path(filename).is_relative_to(Path(neurok.__file__).parent):
        from neurok.commands.say import note

        note(str(message))


def _stop(*_: object) -> None:
    raise SystemExit(143)


if __name__ == "__main__":
    sys.exit(main())
