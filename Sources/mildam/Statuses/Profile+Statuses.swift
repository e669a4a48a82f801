import MildamProfile
import MildamTerminal

extension NoToken: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .notFound }
}

extension AmbiguousToken: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .refused }
}

extension SpentToken: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .refused }
}

extension AnotherToken: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .refused }
}

extension ProfileIsBusy: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus { .refused }
}
