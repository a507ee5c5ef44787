"""What a thing is: meshes, surface points, motions, rigid motions, joints. Numpy only."""
