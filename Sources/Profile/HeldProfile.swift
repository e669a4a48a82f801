import MildamSystem

/// A profile's lock, held by this process for as long as this value lives: for a program that keeps a profile to itself.
///
/// What works with the profile in this process goes on taking turns, by a lock of their own; other programs wait.
public final class HeldProfile: Sendable {
    private let folder: String
    private let lock: ProcessLock

    /// Which profiles this process holds, by their folders.
    private static let held = Lock<Set<String>>([])

    /// Waits until no other program works with the profile; its folder is made when it is missing.
    ///
    /// - Parameter limit: how long to wait at most.
    /// - Throws: ``ProfileIsBusy``; `SystemError`, also where the folder is not to be trusted; `CancellationError`.
    public init(waitingFor place: ProfilePlace, within limit: Duration) async throws {
        let folder = place.folder
        self.folder = folder
        lock = try await Self.lock(of: place, within: limit)
        Self.held.withLock { _ = $0.insert(folder) }
    }

    private static func lock(of place: ProfilePlace, within limit: Duration) async throws -> ProcessLock {
        let deadline = SuspendingClock.now + limit
        while true {
            try TrustedFolder.create(place.folder)
            if let taken = try place.lockIfFree() { return taken }
            guard SuspendingClock.now < deadline else { throw ProfileIsBusy(name: place.name) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    deinit {
        let folder = folder
        Self.held.withLock { _ = $0.remove(folder) }
    }

    /// Whether this process holds the profile in a folder.
    static func isHeld(_ folder: String) -> Bool { held.withLock { $0.contains(folder) } }
}

/// Another program works with the profile, and does not let it go.
public struct ProfileIsBusy: Error, Equatable, Sendable, CustomStringConvertible {
    /// The profile's name.
    public let name: String

    /// What happened, and what to do.
    public var description: String {
        "another program works with the profile \"\(name)\" and does not let it go: wait for it, or end it; a client that was "
            + "started where XDG_RUNTIME_DIR is another ends by `mildam client stop` there"
    }
}
