"""Objects from a learned model: parts drawn by a flow, meshed from codes, and checked as those of programs are."""
