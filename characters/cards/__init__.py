"""Character cards of the field, versions 1 to 3, in all files they travel in. No Django here."""
