"""What things are made of: a library of materials with their physical quantities, and what a part has of them."""
