"""The verbs of the command line: one file each, parse, call a public function, say what happened."""
