"""Whether what is said is borne out by what it cites, where sources disagree, and how far they can be relied on."""
