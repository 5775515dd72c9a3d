//! Nothing to use: the benches are in `benches/`.
