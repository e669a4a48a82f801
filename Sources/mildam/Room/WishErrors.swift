import MildamTerminal

/// Something that was wished for in a room cannot be.
struct WishRefused: EndsWithStatus, CustomStringConvertible {
    /// Why: a code of the client's.
    let code: String

    var exitStatus: ExitStatus { code == "no-such-room" || code == "unknown_account" ? .notFound : .refused }
    var description: String { RoomCodeWords.refusal(code) }
}

/// Something that was wished for in a room is kept on this disk, and is done by itself later.
struct WishKept: EndsWithStatus, CustomStringConvertible {
    /// Why it was not done now.
    let reason: String
    let exitStatus: ExitStatus

    var description: String { "kept: \(reason); it is done by itself later, do not repeat it" }
}
