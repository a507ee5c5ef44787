"""Learning what a picture shows: drawn examples of our own objects, features of pictures, and the training."""
