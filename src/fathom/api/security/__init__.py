"""What stands between the service and whoever reaches it: names, origins, tokens, rates, sizes, rules for browsers.

All of it is plain ASGI, one small middleware per promise, so that a stream of events goes through untouched.
"""
