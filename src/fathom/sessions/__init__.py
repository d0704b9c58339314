"""Research sessions: runs that a service starts, carries out and shows, whoever asks for them and however.

A session is a run. All that is known of it is in the store, so that any process may answer for it.
"""
