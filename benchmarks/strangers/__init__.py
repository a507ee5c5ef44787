"""Things of kinds that no program, network or ranker of ours was made for, tried by the verbs of the command line."""
