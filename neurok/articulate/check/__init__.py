"""check: does a simulator's file do what it says? Loads it in MuJoCo, drops it, sweeps every joint, weighs it.

At rest, no two links that a joint does not connect may lie deeper in each other than one per cent of the diagonal; let
go without gravity, with all joints locked, the base may not drift; dropped on the ground, no number may run away; every
limit must be reached by a force along its joint, or along the joint that leads it; and the mass must be that of the
surfaces' links as the file states it.
"""

from neurok.articulate.check.report import CheckReport
from neurok.articulate.check.trial import check_file

__all__ = ["CheckReport", "check_file"]
