// Placeholder until the tests are laid.
