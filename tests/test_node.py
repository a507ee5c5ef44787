"""The Node fixture finds the exact packages that tests/node/package.json names."""

import json
from pathlib import Path

HERE = Path(__file__).resolve().parent


def test_node_has_the_named_packages(node):
    wanted = json.loads((HERE / "node" / "package.json").read_text())["dependencies"]
    done = node(HERE / "node" / "versions.mjs")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert wanted["three"].split(".")[1] == found["three"]
    assert found["validator"].startswith(wanted["gltf-validator"].split("-")[0])
