"""What is known of a language: how it asks, names and stresses, and how its sentences hang together."""
