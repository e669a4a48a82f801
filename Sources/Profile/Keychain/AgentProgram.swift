/// The program that is started as a keychain's agent.
public struct AgentProgram: Sendable {
    let path: String
    let arguments: [String]
    let environment: [String]

    /// A program that serves the keychain at its socket, and says so by `Daemon.reportReady`.
    ///
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - environment: all of it.
    public init(path: String, arguments: [String], environment: [String: String]) {
        self.path = path
        self.arguments = arguments
        self.environment = environment.map { "\($0)=\($1)" }
    }
}
