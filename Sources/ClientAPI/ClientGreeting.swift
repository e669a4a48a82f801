/// The client's greeting.
public struct ClientGreeting: Codable, Equatable, Sendable {
    /// How far the profile is.
    public enum Stage: String, Codable, Sendable, CaseIterable {
        /// It has no account.
        case fresh
        /// It has an account, and no session.
        case loggedOut
        /// All is there.
        case ready
    }

    /// The client's version, by semver.org.
    public var version: String
    /// Which build of it: another one hands over.
    public var build: String
    /// Drawn when the client began: revisions count within it.
    public var boot: String
    /// The profile's name.
    public var profile: String
    /// How far the profile is.
    public var stage: Stage

    /// Makes a greeting.
    public init(version: String, build: String, boot: String, profile: String, stage: Stage) {
        self.version = version
        self.build = build
        self.boot = boot
        self.profile = profile
        self.stage = stage
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.check(version, "version", 1...LineLimits.code)
        try ClientText.check(build, "build", 1...128)
        try ClientText.check(boot, "boot", 1...LineLimits.code)
        try ClientText.check(profile, "profile", 1...LineLimits.name)
    }
}
