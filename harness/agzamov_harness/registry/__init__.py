"""The log of registrations from its keeper's side: a folder that grows, its witnesses, and requests that wait."""
