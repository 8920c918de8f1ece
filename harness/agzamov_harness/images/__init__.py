"""Images that anyone can rebuild to the same digest: locked packages in, sorted layers and one record out."""
