"""What yields and flows: the implicit material point method of Newton, behind the same conditions (extra `mpm`)."""
