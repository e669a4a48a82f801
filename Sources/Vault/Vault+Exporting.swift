import MildamFiles
import MildamSystem

extension Vault {
    /// Writes entries as plain files into a folder, under their names and with the times of their contents, each when
    /// it is whole and synced.
    ///
    /// - Parameters:
    ///   - folder: made where it is not there.
    ///   - top: a folder of the vault that all of them are in, whose name is left out of theirs.
    ///   - replacing: whether to take the place of what is there.
    ///   - monitor: told of the bytes of all files that were read.
    ///   - told: hears of each entry that was written, or why it was not: `io`, with `EEXIST` where something is that is not
    ///     to be replaced, or `ENOTDIR` where another entry's file stands in the way; `file`, `fileMissing`.
    /// - Throws: `cancelled`, `io` where there is no room; what was told of stays.
    public func export(
        _ entries: [VaultEntry],
        to folder: String,
        without top: VaultName? = nil,
        replacing: Bool = false,
        monitor: FileMonitor = FileMonitor(),
        told: (VaultEntry, VaultError?) -> Void = { _, _ in }
    ) throws(VaultError) {
        try system { () throws(SystemError) in try Folder.create(folder) }
        let total = TotalMonitor(monitor, total: entries.reduce(0) { $0 + $1.storedSize })
        for entry in entries {
            let part = total.part(entry.storedSize)
            defer { part.end() }
            let name = top.map(entry.name.below) ?? entry.name.description[...]
            let path = "\(folder)/\(name)"
            do throws(VaultError) {
                try system { () throws(SystemError) in try Folder.create(Folder.parent(of: path)) }
                let target = FileTarget(path, replacing: replacing, modified: entry.modified)
                try get(entry.name, to: target, monitor: part.monitor)
                told(entry, nil)
            } catch {
                guard error.concernsOneFile else { throw error }
                told(entry, error)
            }
            if monitor.isCancelled() { throw .cancelled }
        }
    }
}
