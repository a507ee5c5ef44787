"""See it and drag it: a page in the browser and the server behind it."""
