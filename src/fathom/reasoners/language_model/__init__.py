"""The reasoner that asks language models, within a budget, and trusts none of them."""
