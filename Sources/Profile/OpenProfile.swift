import MildamCrypto
import MildamKeychain
import MildamStorage
import MildamSystem

/// A profile with its root key at hand: opened once, and used for as long as the program likes.
///
/// It does not hold the profile's lock: each piece of work takes that for itself, so that several programs can share a
/// profile.
public struct OpenProfile: Sendable {
    /// Where it lies.
    public let place: ProfilePlace
    let source: any RootKeySource
    private let reach: @Sendable () throws(KeychainError) -> any Keychain

    /// Opens a profile. Where its root key is in the keychain, the keychain is opened, if it is not open.
    ///
    /// - Parameters:
    ///   - agent: what keeps the keychain open, and is started if need be. It gives a profile's root key only to the program
    ///     that it is itself; any other opens the keychain's file, for as long as this value lives.
    ///   - questions: gives what opens the keychain; asked for nothing where it is open, or not needed.
    /// - Throws: `SystemError` where another user of the machine could have made the profile; `KeychainError`; what
    ///   `questions` throws.
    public init(
        at place: ProfilePlace,
        agent: AgentProgram? = nil,
        asking questions: any KeychainQuestions
    ) async throws {
        try place.check()
        let isNeeded = try ProfileRootKey.Place(in: place.folder) != .file
        if let agent {
            if isNeeded { _ = try await place.keychain.openAgent(of: agent, toBe: .locked, asking: questions) }
            reach = { () throws(KeychainError) in try place.keychain.openedAgent() }
        } else {
            let opened = isNeeded ? try await place.keychain.openFile(asking: questions) : nil
            reach = { () throws(KeychainError) in
                guard let opened else { throw .locked }
                return opened
            }
        }
        self.place = place
        source = ProfileRootKey(in: place.folder, keychain: reach)
    }

    /// A profile as it is open by now: nothing is asked for, and no agent is started. Its root key is there where it lies in
    /// a file, or an agent has the keychain open.
    ///
    /// - Parameter place: one that was looked at (`ProfilePlace.check`).
    public init(asOpenNow place: ProfilePlace) {
        self.place = place
        reach = { () throws(KeychainError) in try place.keychain.openedAgent() }
        source = ProfileRootKey(in: place.folder, keychain: reach)
    }

    /// A profile whose root key comes from elsewhere.
    public init(at place: ProfilePlace, rootKey: any RootKeySource) {
        self.place = place
        source = rootKey
        reach = { () throws(KeychainError) in throw .locked }
    }

    /// The profile in a folder, with its root key in a file there.
    public init(folder: String) {
        self.init(at: ProfilePlace(folder: folder), rootKey: RootKeyFile(path: folder + "/root.key"))
    }

    /// Its keychain: the agent's, or a `LocalKeychain` whose `counterState` may say that an older copy of the file would not
    /// be noticed.
    ///
    /// - Throws: `locked` when it was not opened.
    public func keychain() throws(KeychainError) -> any Keychain { try reach() }

    /// Where its vault is, unless it lies elsewhere.
    public var vault: String { place.vault }

    // MARK: The root key

    /// The root key, for what is sealed under it. Making one takes the profile's lock.
    public var rootKey: any RootKeySource { SharedRootKey(profile: self) }

    /// The root key, for a program that holds the profile's lock: one is made where nothing lies under one yet.
    @discardableResult
    public func rootKey(holding lock: borrowing ProcessLock) throws(StorageError) -> SymmetricKey {
        try source.rootKey(making: try !place.hasSealedContent)
    }

    /// The same, for a program that has its turn with the profile.
    @discardableResult
    public func rootKey(during turn: ProfileTurn) throws(StorageError) -> SymmetricKey {
        try rootKey(holding: turn.lock)
    }

    private struct SharedRootKey: RootKeySource {
        let profile: OpenProfile

        /// - Throws: as the profile's own source; no key is made beside what was sealed under another.
        func rootKey(making: Bool) throws(StorageError) -> SymmetricKey {
            guard making else { return try profile.source.rootKey(making: false) }
            return try profile.place.alone { () throws(StorageError) in
                try profile.source.rootKey(making: try !profile.place.hasSealedContent)
            }
        }

        func earlierRootKey() throws(StorageError) -> SymmetricKey? { try profile.source.earlierRootKey() }
    }

    /// Whether the root key is to be moved into the keychain now, or a move is to be ended: the keychain is open.
    ///
    /// - Throws: `io`.
    public var hasRootKeyToMove: Bool {
        get throws(StorageError) {
            guard let key = source as? ProfileRootKey, try key.place != .keychain else { return false }
            return (try? keychain()) != nil
        }
    }

    /// Moves a root key from its file into the keychain, where that is open, or ends a move that was begun.
    ///
    /// - Parameter sealAnew: opens everything in the profile that lies under the root key, by which it is sealed anew under
    ///   the present one. Returns `false` when something could not be: then the move ends another time.
    /// - Returns: whether the key is in the keychain now, and was not before.
    public func moveRootKey(sealingAnew sealAnew: () async throws -> Bool) async throws -> Bool {
        guard let key = source as? ProfileRootKey, try hasRootKeyToMove else {
            return false
        }
        try place.alone { () throws(StorageError) in try key.beginMove() }
        guard try key.place == .moving, try await sealAnew() else { return false }
        try place.alone { () throws(StorageError) in try key.endMove() }
        return true
    }
}
