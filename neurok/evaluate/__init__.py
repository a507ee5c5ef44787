"""How good it is: the papers' tables with our rows beside them, on pairs anyone can make again."""
