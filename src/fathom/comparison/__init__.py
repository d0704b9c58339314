"""Two reports side by side: which sentences and sources they share, and what differs."""
