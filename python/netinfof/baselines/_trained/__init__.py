"""Models that need PyTorch and PyTorch Geometric."""
