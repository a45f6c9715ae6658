"""Labs for teaching: what they ask, how a student's folder is checked and graded, and the jail that its code runs in."""
