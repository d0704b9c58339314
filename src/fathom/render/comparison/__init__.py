"""A comparison of two reports as Markdown and for a terminal; as HTML, see `fathom.render.html.compared`."""
