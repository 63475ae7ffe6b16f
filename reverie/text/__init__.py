"""Rules of plain text: ids, cleaning, tokens, markdown, language. Imports nothing of ours."""
