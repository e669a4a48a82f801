import MildamSystem

/// The turn of one program at the copies of a keychain, held by a file among them until the turn is let go: a state that is
/// still being copied does not come back when the copies have been deleted.
final class CopyTurn: Sendable {
    private let lock: ProcessLock

    /// Takes the turn at once.
    ///
    /// - Returns: `nil` while another has it.
    init?(in folder: String) throws(SystemError) {
        guard let lock = try ProcessLock(taking: CopyTurn.file(in: folder)) else { return nil }
        self.lock = lock
    }

    /// Waits for the turn.
    init(waitingIn folder: String) throws(SystemError) {
        lock = try ProcessLock(waitingFor: CopyTurn.file(in: folder))
    }

    private static func file(in folder: String) -> String { folder + "/lock" }
}
