"""From a parsed file to vertices, surfaces and clips."""
