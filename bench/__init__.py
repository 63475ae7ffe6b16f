"""What the product costs, beside bare references measured in the same run."""
