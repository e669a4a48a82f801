import Glibc
import MildamStorage
import MildamSystem

/// What programs that were interrupted left in a vault, and what became of it.
public struct VaultLeavings: Sendable, Equatable {
    /// Files that were being added, and were deleted.
    public internal(set) var cleared = 0
    /// Files that were being removed, and were deleted.
    public internal(set) var removed = 0
    /// Files that no entry names, and that stay: the index is older than they are, or was damaged.
    public internal(set) var kept = 0
}

extension Vault {
    /// Ends what one that was interrupted began: files without an entry go, those that were being added and those that
    /// were being removed; so do copies that never took their places.
    func settle() throws(VaultError) {
        if isRekeying { try removeParts() }
        // Whoever writes keys holds the lock.
        for name in Folder.names(in: folder) where VaultKeys.isTemporary(name) { unsafe unlink(folder + "/" + name) }
        let left = try stored { () throws(StorageError) in try index.unsettled() }
        guard !left.isEmpty else { return }
        let entries = left.count { $0.hasEntry }
        let isAdding = left.contains { AdditionMark.entries(of: $0.id, in: folder).map { $0 <= entries } ?? false }
        try files.synchronizing { () throws(VaultError) in
            for (id, isRemoving, hasEntry) in left where !hasEntry {
                let isThere = WholeFile.isTaken(files.path(of: id)) ? 1 : 0
                guard isRemoving || isAdding else {
                    leavings.kept += isThere
                    continue
                }
                try system { () throws(SystemError) in try files.remove(id) }
                if isRemoving { leavings.removed += isThere } else { leavings.cleared += isThere }
            }
        }
        try forgetUnsettled()
    }

    /// Removes copies that were to take the places of files. What else ends as they do is somebody's, and stays.
    func removeParts() throws(VaultError) {
        let parts = try unknownFiles().filter { VaultFiles.isPart($0) }
        guard !parts.isEmpty else { return }
        try system { () throws(SystemError) in try files.make() }
        for path in parts { unsafe unlink(folder + "/" + path) }
    }

    /// Nothing is being added or removed any more.
    func forgetUnsettled() throws(VaultError) {
        try change { () throws(StorageError) in try index.settleAll() }
        AdditionMark.removeAll(in: folder)
    }
}
