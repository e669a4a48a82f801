import MildamFiles
import MildamSystem

extension Vault {
    /// Writes entries as plain files into a folder, under their names, each when it is whole and synced.
    ///
    /// - Parameters:
    ///   - folder: made where it is not there.
    ///   - replacing: whether to take the place of what is there.
    ///   - told: hears of each entry that was written, or why it was not: `io`, with `EEXIST` where something is that is not
    ///     to be replaced, or `ENOTDIR` where another entry's file stands in the way; `file`, `fileMissing`.
    /// - Throws: `cancelled`, `io` where there is no room; what was told of stays.
    public func export(
        _ entries: [VaultEntry],
        to folder: String,
        replacing: Bool = false,
        monitor: FileMonitor = FileMonitor(),
        told: (VaultEntry, VaultError?) -> Void = { _, _ in }
    ) throws(VaultError) {
        try system { () throws(SystemError) in try Folder.create(folder) }
        for entry in entries {
            let path = folder + "/" + entry.name.description
            do throws(VaultError) {
                try system { () throws(SystemError) in try Folder.create(Folder.parent(of: path)) }
                try get(entry.name, to: FileTarget(path, replacing: replacing), monitor: monitor)
                told(entry, nil)
            } catch {
                guard error.concernsOneFile else { throw error }
                told(entry, error)
            }
            if monitor.isCancelled() { throw .cancelled }
        }
    }
}
