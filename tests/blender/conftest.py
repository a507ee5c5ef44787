"""Which Python has Blender."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--blender", default=None, help="a Python interpreter that can import bpy")


@pytest.fixture(scope="session")
def blender(request) -> str:
    """Blender's Python, which must be there: `make test-blender` installs it."""
    python = request.config.getoption("--blender")
    if python is None:
        pytest.skip("BLENDER ABSENT: run `make test-blender`, which installs it")
    return python
