import MildamSystem

/// Which build of a program it is: its version and its file. Another build of the same version is another file.
public struct ClientBuild: Sendable {
    /// The version, by semver.org.
    public let version: String
    /// What tells this build from another one.
    public let name: String

    /// The build in a file, as that is now.
    ///
    /// - Parameter executable: the program's path; one where nothing is counts as a build of its own.
    public init(executable: String, version: String = Version.text) {
        self.version = version
        name = FileIdentity(executable).map { "\(version)-\($0.device)-\($0.number)" } ?? "\(version)-unknown"
    }
}
