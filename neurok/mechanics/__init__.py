"""How it moves: conditions, inverse kinematics, Lagrangian dynamics. Knows only Kinematics."""
