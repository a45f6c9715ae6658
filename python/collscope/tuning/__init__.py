"""What libraries can be told: which algorithms each version has, who decides there, and the words that force a choice."""
