import MildamSystem

/// A profile's lock, held by this process until it lets the profile go, or this value ends: for a program that keeps a profile
/// to itself.
///
/// What works with the profile in this process goes on taking turns, by a lock of their own; other programs wait.
public final class HeldProfile: Sendable {
    private let place: ProfilePlace
    private let kept: Lock<Kept?>

    private final class Kept: Sendable {
        let lock: ProcessLock

        init(_ lock: consuming ProcessLock) { self.lock = lock }
    }

    /// Which profiles this process holds, by their folders.
    private static let held = Lock<Set<String>>([])

    /// Waits until no other program works with the profile; its folder is made when it is missing.
    ///
    /// - Parameter limit: how long to wait at most.
    /// - Throws: ``ProfileIsBusy``; `SystemError`, also where the folder is not to be trusted; `CancellationError`.
    public init(waitingFor place: ProfilePlace, within limit: Duration) async throws {
        self.place = place
        kept = Lock(Kept(try await Self.lock(of: place, within: limit)))
        let folder = place.folder
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

    deinit { end() }

    /// Lets the profile go, once what works with it in this process has had its turn: other programs may work with it from
    /// here on, and this process as one of them.
    ///
    /// - Parameter limit: how long to wait for that turn at most.
    /// - Throws: as the initialiser; the profile is still held then.
    public func letGo(within limit: Duration) async throws {
        // Held, that is the lock of the turns.
        let turn = try await Self.lock(of: place, within: limit)
        end()
        _ = consume turn
    }

    private func end() {
        let folder = place.folder
        kept.withLock { kept in
            guard kept != nil else { return }
            Self.held.withLock { _ = $0.remove(folder) }
            kept = nil
        }
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
