"""Help without weight, errors in one line, nothing half-written."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import neurok as package
from neurok.commands.main import VERBS
from neurok.commands.say import LongRun

HEAVY = ("torch", "mujoco", "trimesh", "scipy", "pxr", "moderngl")
PROBE = """
import sys
from neurok.commands.main import main
code = main(sys.argv[1:])
heavy = [name for name in {heavy} if name in sys.modules]
sys.exit(code or (f"loaded {{heavy}}" if heavy else 0))
"""


@pytest.mark.parametrize("words", [["--help"], ["--version"], *[[verb, "--help"] for verb in VERBS]])
def test_help_loads_nothing_heavy(process, words):
    done = process(*words, code=PROBE.format(heavy=HEAVY))
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not done.stderr


def test_help_names_the_verbs_and_the_options(process):
    first = process("--help").stdout
    assert all(verb in first for verb in VERBS)
    options = process("animate", "--help").stdout
    for option in ("--pull", "--push", "--velocity", "--pin", "--gravity", "--wind", "--ground", "--seconds", "--fps",
                   "--seed", "-o", "--start", "--damping", "--stiffness", "--friction", "--dt", "--integrator",
                   "--base", "--up", "--mass", "--conditions", "--json", "--allow-outside"):  # fmt: skip
        assert f"{option} " in options, option


def test_version(neurok):
    assert neurok("--version") == (0, f"neurok {package.__version__}\n", "")


def test_no_verb_shows_the_help_on_stderr(neurok):
    code, out, err = neurok()
    assert code == 2 and out == "" and "animate" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["dance"], "unknown verb 'dance'; use one of: animate, "),
        (["animte"], "did you mean 'animate'?"),
        (["animate"], "animate needs INPUT"),
        (["convert", "a.obj"], "convert needs OUT"),
        (["animate", "a.urdf", "--secnds", "2"], "no option --secnds; did you mean --seconds?"),
        (["animate", "a.urdf", "--seconds"], "--seconds"),
        (["inspect", "a.obj", "b.obj"], "'b.obj' is one argument too many"),
        (["animate", "a.urdf"], "nothing says where the motion goes"),
        (["fit", "a.urdf", "-o", "x.ply"], "either a TARGET or --pull"),
        (["fit", "a.urdf", "b.ply", "--pull", "0,0,0:1,0,0", "-o", "x.ply"], "either a TARGET or --pull"),
        (["fit", "a.urdf", "--pull", "0,0,0:1,0,0@0,1", "-o", "x.ply"], "times"),
        (["fit", "a.urdf", "b.ply", "-o", "x.ply", "--report", "r.txt"], ".json"),
        (["fit", "a.urdf", "b.ply", "-o", "x.ply", "--report", "no/r.json"], "cannot be written"),
        (["animate", "a.urdf", "-o", "x.glb", "-o", "./x.glb"], "named twice"),
        (["animate", "a.urdf", "-o", "x.obj"], ".obj holds no motion"),
        (["animate", "a.urdf", "-o", "x.fbx"], "unknown output suffix '.fbx'"),
        (["animate", "a.urdf", "-o", "no/x.glb"], "there is no folder no"),
        (["animate", "a.urdf", "-o", "."], ""),
        (["animate", "nowhere.urdf", "-o", "x.glb"], "there is no file nowhere.urdf"),
        (["inspect", "picture.jpg"], "not read"),
    ],
)
def test_faults_are_one_line_and_exit_two(neurok, tmp_path, words, said):
    code, out, err = neurok(*words)
    assert code == 2 and out == ""
    assert err.startswith("neurok: ") and err.count("\n") == 1
    assert said in err
    assert not list(tmp_path.iterdir())


BOX_FACES = "f 1 2 3\n"
BAD_FILES = {
    "empty.obj": b"",
    "empty.glb": b"",
    "empty.urdf": b"",
    "empty.stl": b"",
    "empty.ply": b"",
    "nan.obj": b"v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n",
    "huge_index.obj": b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 999999999999\n",
    "truncated.glb": b"glTF\x02\x00\x00\x00\xff\x00\x00\x00\x50\x00\x00\x00JSON{",
    "cycle.urdf": b"<robot name='r'><link name='a'/><link name='b'/>"
    b"<joint name='i' type='fixed'><parent link='a'/><child link='b'/></joint>"
    b"<joint name='j' type='fixed'><parent link='b'/><child link='a'/></joint></robot>",
    "missing_mesh.urdf": b"<robot name='r'><link name='a'><visual><geometry><mesh filename='gone.obj'/></geometry>"
    b"</visual></link></robot>",
    "climbs.urdf": b"<robot name='r'><link name='a'><visual><geometry><mesh filename='../../etc/passwd'/></geometry>"
    b"</visual></link></robot>",
    "single_point.obj": b"v 1 2 3\n",
    "zero_area.obj": b"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n",
    "bad.zip": b"PK\x03\x04 not a zip",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_input_leaves_nothing_behind(neurok, tmp_path, name):
    (tmp_path / name).write_bytes(BAD_FILES[name])
    code, out, err = neurok("animate", name, "-o", "out.glb")
    lines = [line for line in err.splitlines() if not line.startswith("neurok: note: ")]
    assert code == 2 and out == ""
    assert len(lines) == 1 and lines[0].startswith("neurok: ") and "; " in lines[0], err
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["single_point.obj", "zero_area.obj"])
def test_a_free_body_without_surface_is_refused(neurok, tmp_path, name):
    (tmp_path / name).write_bytes(BAD_FILES[name])
    code, _, err = neurok("animate", name, "--base", "free", "-o", "out.glb")
    assert code == 2 and "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_unwritable_folder(neurok, door, tmp_path):
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o500)
    if os.access(closed, os.W_OK):
        pytest.skip("this user may write anywhere")
    code, _, err = neurok("animate", door, "-o", closed / "x.glb")
    assert code == 2 and "cannot be written to" in err


def test_a_plain_mesh_moves_by_what_was_learned(neurok, box, tmp_path):
    code, out, _ = neurok("animate", box, "-o", "x.glb", "--seconds", "0.2")
    assert code == 0 and (tmp_path / "x.glb").stat().st_size > 1000
    assert "learned" in out


def test_a_bad_conditions_file_names_the_place(neurok, door, tmp_path):
    (tmp_path / "c.json").write_text('{"pulls": [{"point": [0, 0]}]}')
    code, _, err = neurok("animate", door, "--conditions", "c.json", "-o", "x.glb")
    assert code == 2 and "pulls[0].point" in err


def test_names_from_a_file_cannot_write_to_the_terminal(neurok, tmp_path):
    (tmp_path / "evil.obj").write_bytes(b"g \x1b[31mred\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl \x1b]0;title\x07\nf 1 2 3\n")
    climbing = BAD_FILES["climbs.urdf"].replace(b"../../etc", "\u202e../..".encode())
    (tmp_path / "evil.urdf").write_bytes(climbing)
    for words, code in ((("inspect", "evil.obj"), 0), (("inspect", "evil.urdf"), 2), (("inspect", "\x1b[31m.obj"), 2)):
        found, out, err = neurok(*words)
        assert found == code and out + err
        assert all(c.isprintable() or c == "\n" for c in out + err)


# ---------------------------------------------------------------- interrupted

SLOW = """
import signal, sys, time
# A job started in the background inherits an ignored SIGINT; a person at a terminal does not.
signal.signal(signal.SIGINT, signal.default_int_handler)
import neurok.mechanics.simulate as simulate
def wait(*args, **options):
    print("started", flush=True)
    time.sleep(60)
simulate.animate = wait
from neurok.commands.main import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_interruption_is_quiet_and_leaves_nothing(door, tmp_path, sent, code):
    command = [sys.executable, "-c", SLOW, "animate", str(door), "-o", "out.glb"]
    job = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert job.stdout.readline() == "started\n"
    time.sleep(0.2)
    job.send_signal(sent)
    _, err = job.communicate(timeout=30)
    assert job.returncode == code
    assert "Traceback" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["door.urdf"]


def test_a_reader_that_leaves_is_no_error(box, tmp_path):
    command = f"{sys.executable} -m neurok.commands.main inspect {box} --json | head -c 1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "{" and done.stderr == ""


def test_json_survives_a_terminal_without_letters(box, tmp_path):
    box.write_text("g tür\n" + box.read_text(), encoding="utf-8")
    command = [sys.executable, "-m", "neurok.commands.main", "inspect", "box.obj", "--json"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env=environment)
    assert json.loads(done.stdout)["parts"] == ["tür"]


def test_numbers_that_json_has_no_word_for():
    from neurok.commands.say import to_json_values

    data = {"a": np.float64("inf"), "b": np.array([[1.0, np.nan]]), 3: (np.int64(4), None, True)}
    assert to_json_values(data) == {"a": None, "b": [[1.0, None]], "3": [4, None, True]}


def test_what_takes_long_is_said_once_where_no_bar_is_shown(capsys):
    times = iter([0.0, 1.0, 6.0, 8.0])
    run = LongRun("simulating", lambda: next(times))
    for fraction in (0.01, 0.1, 0.2):
        run.report(fraction)
    assert capsys.readouterr().err == "neurok: note: simulating will take about 54 s more (10% is done)\n"
