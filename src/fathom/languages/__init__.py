"""What is known of languages: a file for each, how English and Japanese questions are read, and what asks the files."""
