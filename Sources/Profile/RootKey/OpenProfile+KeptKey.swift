import MildamCrypto
import MildamStorage
import MildamSystem

extension OpenProfile {
    /// The same profile with its root key in this process's memory, for as long as the value lives: neither its file nor the
    /// keychain's agent is asked again. Where nothing lies under a key yet, the profile as it is.
    ///
    /// - Throws: `locked`, `damaged`, `io`: as the key is read.
    public func keepingRootKey() throws(StorageError) -> OpenProfile {
        guard try place.hasSealedContent else { return self }
        let key = rootKey
        let kept = KeptRootKey(
            key: try key.rootKey(making: false),
            earlier: try key.earlierRootKey(),
            isOfKeychain: try ProfileRootKey.Place(in: place.folder) == .keychain
        )
        return OpenProfile(at: place, rootKey: kept)
    }

    /// The same profile, kept as by ``keepingRootKey()``, after others have worked with it: its root key may have moved
    /// into the keychain. The agent that has that open is asked where it has to be, and can look at this process meanwhile.
    ///
    /// - Throws: `StorageError`, as the key is read; `SystemError` where this process cannot be hidden again.
    public func reopened() throws -> OpenProfile {
        if let kept = source as? KeptRootKey, kept.isOfKeychain { return self }
        let present = OpenProfile(asOpenNow: place)
        guard try ProfileRootKey.Place(in: place.folder) != .file else { return try present.keepingRootKey() }
        return try OwnProcess.showing { try present.keepingRootKey() }
    }
}

private struct KeptRootKey: RootKeySource {
    let key: SymmetricKey
    let earlier: SymmetricKey?
    /// Whether the key lay in the keychain, from which it does not move.
    let isOfKeychain: Bool

    func rootKey(making: Bool) throws(StorageError) -> SymmetricKey { key }

    func earlierRootKey() throws(StorageError) -> SymmetricKey? { earlier }
}
