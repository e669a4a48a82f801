import MildamCrypto
import MildamStorage
import MildamSystem

/// The root key that a vault's keys lie under, and the one before it.
extension Vault {
    /// A vault's keys, under the root key or the one that it takes the place of.
    ///
    /// - Returns: the keys, and whether they have to be sealed anew.
    /// - Throws: `noVault`, `keysDoNotOpen`, `storage`, `io`.
    static func keys(
        in folder: String,
        under source: any RootKeySource
    ) throws(VaultError) -> (keys: VaultKeys, isEarlier: Bool) {
        let root = try rootKey(source, making: false)
        do throws(VaultError) { return (try VaultKeys(in: folder, under: root), false) } catch .keysDoNotOpen {}
        let earlier: SymmetricKey?
        do throws(StorageError) { earlier = try source.earlierRootKey() } catch { throw .storage(error) }
        if let earlier, let keys = try? VaultKeys(in: folder, under: earlier) { return (keys, true) }
        // Somebody may just have sealed them anew.
        return (try VaultKeys(in: folder, under: try rootKey(source, making: false)), false)
    }

    /// Seals a vault's keys and its index anew, if they lie under the root key's predecessor or one who did that was
    /// interrupted.
    ///
    /// - Returns: whether everything lies under the root key; `false` when another program is changing the vault.
    /// - Throws: as ``open(in:rootKey:changing:waiting:)``.
    public static func sealAnew(in folder: String, rootKey source: any RootKeySource) throws(VaultError) -> Bool {
        guard try VaultKeys.areThere(in: folder) else { return true }
        try checkTrusted(folder)
        let lock: ProcessLock?
        do throws(SystemError) { lock = try ProcessLock(taking: folder + "/" + lockName) } catch { throw .io(error) }
        guard let lock else { return false }
        _ = try open(in: folder, rootKey: source, holding: lock)
        return true
    }

    /// Ends what was begun: the keys under the present root key, the index under a key of its own that no earlier root
    /// key has ever led to.
    func settleKeys(areEarlier: Bool) throws(VaultError) {
        guard areEarlier || keys.earlierIndex != nil else { return }
        var next = keys
        next.beginIndex()
        try save(next)
        let fresh = try Self.openIndex(in: folder, under: keys.index, making: false)
        if let earlier = keys.earlierIndex {
            try stored { () throws(StorageError) in try fresh.sealAnew(from: earlier) }
            try system { () throws(SystemError) in try SyncStates.sealAnew(in: folder, keys, from: earlier) }
        }
        index = fresh
        next.endIndex()
        try save(next)
    }
}
