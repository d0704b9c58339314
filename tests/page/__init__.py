"""The page as people use it: the real server in a process of its own, Chromium, and viewers over real sockets."""
