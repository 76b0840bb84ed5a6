"""From a string to terms: normalisation, tokenisation per language, compounds, filters, analyzers."""
