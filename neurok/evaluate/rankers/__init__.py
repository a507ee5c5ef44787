"""What the ranker of proposals learns from, and rankers that have left the kinds of a fold out."""
