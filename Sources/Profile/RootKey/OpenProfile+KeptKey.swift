import MildamCrypto
import MildamStorage

extension OpenProfile {
    /// The same profile with its root key in this process's memory, for as long as the value lives: neither its file nor the
    /// keychain's agent is asked again. Where nothing lies under a key yet, the profile as it is.
    ///
    /// - Throws: `locked`, `damaged`, `io`: as the key is read.
    public func keepingRootKey() throws(StorageError) -> OpenProfile {
        guard try place.hasSealedContent else { return self }
        let source = rootKey
        let kept = KeptRootKey(key: try source.rootKey(making: false), earlier: try source.earlierRootKey())
        return OpenProfile(at: place, rootKey: kept)
    }
}

private struct KeptRootKey: RootKeySource {
    let key: SymmetricKey
    let earlier: SymmetricKey?

    func rootKey(making: Bool) throws(StorageError) -> SymmetricKey { key }

    func earlierRootKey() throws(StorageError) -> SymmetricKey? { earlier }
}
