"""How it moves: conditions, inverse kinematics, Lagrangian dynamics, contact. Knows only Kinematics."""
