"""Objects like the one of a picture: what is seen in it becomes wishes of a program, and candidates are compared."""
