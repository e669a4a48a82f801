/// Copies of the last states of the file, made by themselves: before the first change in a minute, by the agent once the file
/// has changed, and where a keychain is closed.
extension LocalKeychain {
    /// The copies beside a keychain's file, the newest first: ten at most, of 128 MiB together at most.
    ///
    /// - Throws: `io`, also where another user could have put them there.
    public static func copies(of path: String) throws(KeychainError) -> [KeychainCopy] {
        try KeychainCopies(of: path).all()
    }

    /// Deletes the copies: with them goes what was removed or changed since they were made.
    ///
    /// - Throws: `io`.
    public static func removeCopies(of path: String) throws(KeychainError) { try KeychainCopies(of: path).removeAll() }

    /// Copies the state that the keychain is in, if that is due.
    func copyState(_ occasion: CopyOccasion) {
        core.withLock { core in core.state(toCopy: occasion) }?.keep()
    }

    /// Takes the state of a copy for the present one, which is kept first. What opens the keychain stays as it is, and so do
    /// the items of the tool's own parts, such as a profile's root key.
    ///
    /// Where the file is not whole, the copy's slots take the place of the file's, except the one that it was unlocked with,
    /// which stays; and an item of those parts stays where the copy has none.
    ///
    /// - Throws: `locked`; `changedFromOutside` for a copy that is not whole, or of another keychain; `changedMeanwhile`
    ///   where other programs do not stop changing the file; `storage`, `io`.
    @discardableResult
    public func putBack(_ copy: KeychainCopy) async throws(KeychainError) -> RestoredState {
        let restored = try core.withLock { (core) throws(KeychainError) in try core.putBack(copy, caller) }
        try await acceptCounter()
        return restored
    }

    /// Takes from the copies what does not open here and does in a copy.
    ///
    /// - Parameter withMissing: whether also what is missing here and in the newest copy; what a program deleted since
    ///   that was made comes back, too.
    /// - Returns: what came back.
    /// - Throws: `locked`; `changedFromOutside` before a ``repair()``; `storage`, `io`.
    public func restoreItems(withMissing: Bool) throws(KeychainError) -> [RestoredItem] {
        try core.withLock { (core) throws(KeychainError) in
            try core.restoreItems(withMissing: withMissing, caller)
        }
    }

    /// Keeps a damaged file as it is under another name beside it.
    ///
    /// - Returns: the path.
    /// - Throws: `storage`, `io`.
    public func keepFileAside() throws(KeychainError) -> String {
        try core.withLock { (core) throws(KeychainError) in try core.keepFileAside(as: "damaged") }
    }
}

/// An item that came back from a copy.
public struct RestoredItem: Sendable {
    /// The item as it was then, without what it protects.
    public let item: KeychainItem
    /// When the copy was made, in milliseconds since 1970.
    public let time: Int64
}

/// What putting a copy back came to.
public struct RestoredState: Sendable {
    /// The file that has what was there before, beside the keychain's; `nil` where the newest copy has it. It is a file where
    /// that is not whole, or too large for a copy.
    public let keptFile: String?
    /// How many items of the tool's own parts stayed that the copy lacks, or has with another value.
    public let keptParts: Int
    /// The numbers of the slots that do not open the keychain any more.
    public let lostSlots: [Int64]
}
