import FoundationEssentials
import Glibc
import MildamCrypto
import MildamSystem

/// Where a vault keeps what synchronisations knew: a sealed file for each folder, `syncs/ID`.
///
/// ```
/// "mildam vault sync 1\n" ‖ ChaChaPoly(key = HKDF-SHA256(index's key, salt = vault's id, info = "mildam/1 vault sync"),
///                                       header = ID[16])
/// ```
struct SyncStates {
    /// The largest file, in bytes: some two million names.
    private static let maximumSize = 256 << 20
    private static let signature = Array("mildam vault sync 1\n".utf8)

    /// A state, and the name of its file.
    struct Kept {
        let id: VaultEntryID
        let state: SyncState
    }

    private let folder: String
    private let key: SymmetricKey

    /// - Parameter vault: the vault's folder.
    init(in vault: String, _ keys: VaultKeys) {
        self.init(in: vault, id: keys.id, index: keys.index)
    }

    private init(in vault: String, id: [UInt8], index: SymmetricKey) {
        folder = Self.folder(in: vault)
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: index,
            salt: id,
            info: Array("mildam/1 vault sync".utf8),
            outputByteCount: 32
        )
    }

    private static func folder(in vault: String) -> String { vault + "/syncs" }

    /// What the last synchronisation of a folder with a folder of the vault knew, if there was one; and whether there is a
    /// state that does not open, which might have been it.
    func find(_ folder: String, _ top: VaultName?) -> (kept: Kept?, hasUnreadable: Bool) {
        var hasUnreadable = false
        for id in ids {
            guard let state = read(id) else {
                hasUnreadable = true
                continue
            }
            // By bytes: text that a reader takes for the same may name two folders.
            guard Array(state.folder.utf8) == Array(folder.utf8), state.top?.key == top?.key else { continue }
            return (Kept(id: id, state: state), false)
        }
        return (nil, hasUnreadable)
    }

    /// Keeps a state, in the place of the one before it; on the disk when this returns.
    ///
    /// States in which nothing can be read are removed, and those that did not take their places: whoever changes the vault
    /// holds its lock, so nobody is writing them.
    func save(_ state: SyncState, as id: VaultEntryID) throws(SystemError) {
        try Self.removeLink(folder)
        try Folder.create(folder)
        for name in Folder.names(in: folder) {
            let owner = VaultEntryID(name)
            let isLost = owner.map { $0.description == name && read($0) == nil } ?? Self.isPart(name)
            if isLost { unsafe unlink(folder + "/" + name) }
        }
        try write(state.value, as: id)
    }

    /// Seals every state anew that lies under the index's earlier key.
    ///
    /// - Throws: `SystemError`. Those that were not reached are sealed anew when this is called again.
    static func sealAnew(in vault: String, _ keys: VaultKeys, from earlier: SymmetricKey) throws(SystemError) {
        try removeLink(folder(in: vault))
        let (old, new) = (SyncStates(in: vault, id: keys.id, index: earlier), SyncStates(in: vault, keys))
        for id in old.ids {
            guard let value = old.open(id) else { continue }
            try new.write(value, as: id)
        }
    }

    /// Forgets every state: nothing that is missing was removed then.
    static func removeAll(in vault: String) throws(SystemError) {
        let folder = Self.folder(in: vault)
        try removeLink(folder)
        let names = Folder.names(in: folder).filter { VaultEntryID($0) != nil }
        guard !names.isEmpty else { return }
        for name in names {
            let path = folder + "/" + name
            // A folder is no state.
            guard unsafe unlink(path) == 0 || errno == ENOENT || errno == EISDIR else { throw .last("remove", path) }
        }
        try Folder.synchronize(folder)
    }

    /// Takes away a link that somebody has put in the place of the folder: what it leads to is not the vault's.
    private static func removeLink(_ folder: String) throws(SystemError) {
        guard WholeFile.isLink(folder) else { return }
        guard unsafe unlink(folder) == 0 || errno == ENOENT else { throw .last("remove", folder) }
    }

    /// Whether a name is that of a state that did not take its place: ID.PID.NUMBER.part.
    private static func isPart(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 4, parts[3] == "part", VaultEntryID(String(parts[0])) != nil else { return false }
        return Int32(parts[1]) != nil && UInt32(parts[2]) != nil
    }

    private var ids: [VaultEntryID] { Folder.names(in: folder).compactMap { VaultEntryID($0) } }

    private func path(of id: VaultEntryID) -> String { "\(folder)/\(id)" }

    private func read(_ id: VaultEntryID) -> SyncState? {
        guard let value = open(id) else { return nil }
        return try? SyncState(value: value.span)
    }

    private func open(_ id: VaultEntryID) -> [UInt8]? {
        // Of a pipe, nobody waits for the other end.
        guard WholeFile.size(path(of: id)) != nil,
            let file = try? WholeFile.read(path(of: id), limit: Self.maximumSize), file.starts(with: Self.signature),
            let box = try? ChaChaPoly.SealedBox(combined: file[Self.signature.count...]),
            let content = try? ChaChaPoly.open(box, using: key, authenticating: id.bytes)
        else { return nil }
        return [UInt8](content)
    }

    private func write(_ value: [UInt8], as id: VaultEntryID) throws(SystemError) {
        guard let box = try? ChaChaPoly.seal(value, using: key, authenticating: id.bytes) else {
            preconditionFailure("the key has the right size")
        }
        let file = Self.signature + box.combined
        try WholeFile.write(file.span, to: path(of: id))
    }
}
