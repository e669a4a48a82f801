import MildamSystem

/// A profile's lock, held for as long as this value lives. Whoever begins to use the profile can take that back before
/// another program has its turn, and may have used what was made.
public final class ProfileTurn: Sendable {
    let lock: ProcessLock
    private let beginning: Lock<ProfileBeginning?>
    /// Whether no client has used the profile before.
    public let isFirst: Bool

    /// Waits until no other program works with the profile; its folder is made when it is missing.
    ///
    /// - Throws: `SystemError`, also where the folder is not to be trusted; `CancellationError`.
    public init(waitingFor place: ProfilePlace) async throws {
        var folders: [String] = []
        let taken = try await place.waitForLock(making: &folders)
        let found = try ProfileBeginning(of: place, folders: folders)
        isFirst = found != nil
        beginning = Lock(found)
        lock = taken
    }

    /// Remembers what the client has made of the profile by now: its key and its database.
    public func noteMade() { _ = beginning.withLock { $0?.noteMade() } }

    /// Removes what was noted, and the folders that were made for it and hold nothing else; where a client had used the
    /// profile before, nothing. The database is closed, and nothing in it is needed any more.
    public func takeBack() { _ = beginning.withLock { $0?.takeBack() } }
}
