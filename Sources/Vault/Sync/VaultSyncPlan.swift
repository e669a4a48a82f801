import MildamFiles

/// What has to be done so that a folder and a vault, or a folder of it, have the same files again.
public struct VaultSyncPlan: Sendable {
    /// What is done with one file.
    public enum Action: Sendable, Equatable {
        /// The folder's file is new to the vault.
        case addToVault
        /// The folder's file was changed, and takes the place of the vault's.
        case replaceInVault
        /// The vault's entry is new to the folder.
        case writeToFolder
        /// The vault's entry was changed, and takes the place of the folder's file.
        case replaceInFolder
        /// The file was removed from the folder, and is removed from the vault.
        case removeFromVault
        /// The entry was removed from the vault, and is removed from the folder.
        case removeFromFolder
        /// Both sides have another content. The folder's stays, the vault's is called by the other name, and both sides
        /// get both.
        case keepBoth(VaultName)
    }

    /// One file.
    public struct Step: Sendable, Equatable {
        /// What it is called in the folder.
        public let name: VaultName
        /// What is done.
        public let action: Action
        /// The size in bytes of the content that counts; of both, where both are kept.
        public let size: Int
    }

    /// Why nothing is removed on either side, and what differs is kept twice.
    public enum Caution: Sendable, Equatable {
        /// What the last synchronisation knew cannot be read.
        case stateUnreadable
        /// Another folder lies at the path than at the last synchronisation: made anew, or on another disk.
        case otherFolder
    }

    /// The folder: its path, absolute and without links.
    public var folder: String { place.path }
    /// What is to be done, by name; nothing where both are in step.
    public let steps: [Step]
    /// How many files are the same on both sides.
    public let same: Int
    /// What in the folder cannot be in a vault, and why not. What the vault has below it is left alone.
    public let refusals: [(path: String, error: VaultError)]
    /// Why nothing is removed or replaced, where that is so.
    public let caution: Caution?
    /// The folders below which nothing is removed: another disk is mounted on them than at the last synchronisation, or none.
    public let otherDisks: [String]

    let place: SyncFolder
    /// What synchronisations left that were killed; it is removed with the first step.
    let leftovers: [SyncListing.Part]
    let top: VaultName?
    /// What both sides have, by the bytes of the names in the folder.
    let files: [[UInt8]: SyncFile]
    let entries: [[UInt8]: VaultEntry]
    /// What of the last synchronisation stays as it is: what is left alone, and what is still to be done.
    let records: [[UInt8]: SyncRecord]
    /// The disks that are mounted below the folder, with those that are missing for now (`SyncState.disks`).
    let disks: [[UInt8]: UInt64]
    /// The file in which the last state lies.
    let state: VaultEntryID?
    /// A file that has changed since then, in nanoseconds since 1970, might change again without showing it.
    let settled: Int64
}

/// A file of a folder that is kept in step.
struct SyncFile: Sendable {
    let stamp: SyncStamp
    /// The content's SHA-256, 32 bytes.
    let digest: [UInt8]
}
