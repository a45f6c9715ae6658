"""The explorer: a page that needs no server, in which the prover and the model run as WebAssembly."""
