// Placeholder until the module is laid.
