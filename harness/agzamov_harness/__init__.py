"""Makes bundles: seals manifests, asks the world through ports, records, packs and signs."""
