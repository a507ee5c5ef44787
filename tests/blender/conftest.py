"""Which Python has Blender."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--blender", default=None, help="a Python interpreter that can import bpy")
