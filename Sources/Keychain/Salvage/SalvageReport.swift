/// What was left of a keychain whose file was damaged.
public struct SalvageReport: Sendable {
    /// Where the damaged file is kept; `nil` where there was none.
    public let damagedFile: String?
    /// Where its write-ahead log is kept, beside it; `nil` where it had none. What stands in there behind a torn part is in
    /// no other file.
    public let damagedLog: String?
    /// How many items could be read in it.
    public let items: Int
    /// Those of which only what they are called could be read: they are in the new file, and do not open.
    public let damaged: [KeychainItem]
    /// Those whose name another item had that was changed later: they are in the trash.
    public let trashed: [KeychainItem]
    /// The numbers of those that are known of, and could not be read at all, or not but for a name that another item has.
    public let lost: [Int64]
}

extension SalvageReport {
    init(_ new: SalvagedKeychain, damagedFile: String?, damagedLog: String?) {
        self.init(
            damagedFile: damagedFile,
            damagedLog: damagedLog,
            items: new.whole,
            damaged: new.damaged,
            trashed: new.trashed,
            lost: new.lost
        )
    }
}
