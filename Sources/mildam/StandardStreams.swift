import Glibc

/// What a program is given when it starts.
enum StandardStreams {
    /// Sees to it that the numbers 0 to 2 are taken: where one was closed, the next file to be opened would get it, and
    /// with it what is meant for the terminal. They are opened the wrong way round, so that using one fails.
    static func hold() {
        for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether every argument is UTF-8: Swift would put another character where one is not.
    static var argumentsAreText: Bool {
        (0..<Int(CommandLine.argc)).allSatisfy { place in
            guard let argument = unsafe CommandLine.unsafeArgv[place] else { return true }
            return unsafe String(validatingCString: argument) != nil
        }
    }
}
