"""The model x augmentation matrix of several bundles: descriptive, in no bundle, so computed with scipy."""
