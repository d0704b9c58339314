"""How questions in English, and in languages that nothing else is known of, are taken apart."""
