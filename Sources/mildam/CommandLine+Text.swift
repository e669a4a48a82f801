extension CommandLine {
    /// Whether every argument is UTF-8: Swift would put another character where one is not, and name another file.
    static var isText: Bool {
        (0..<Int(argc)).allSatisfy { place in
            guard let argument = unsafe unsafeArgv[place] else { return true }
            return unsafe String(validatingCString: argument) != nil
        }
    }
}
