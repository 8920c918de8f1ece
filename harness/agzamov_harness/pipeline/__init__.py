"""From a plan to a signed bundle: sealed once its world was asked, played where the plan says, packed."""
