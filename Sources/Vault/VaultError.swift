import MildamFiles
import MildamStorage
import MildamSystem

/// Why something was not done with a vault. What was there before is there still.
public enum VaultError: Error, Equatable, Sendable {
    /// The folder holds no vault.
    case noVault(String)
    /// The folder holds a vault already, or something else.
    case folderTaken(String)
    /// The vault's keys do not open with this root key: it is another's, or they are damaged.
    case keysDoNotOpen(String)
    /// Nothing in the vault has this name; and one that was perhaps meant.
    case noEntry(String, near: String? = nil)
    /// Something in the vault has this name already.
    case nameTaken(String)
    /// A folder cannot be moved to a place in itself.
    case movedIntoItself(String)
    /// An entry has no former version of this number; and how many it has.
    case noVersion(String, Int, Int)
    /// The name cannot stand in a vault.
    case invalidName(VaultNameDefect)
    /// Nothing can be encrypted to this recipient.
    case invalidRecipient(String)
    /// More than a thousand recipients.
    case tooManyRecipients
    /// The keys of recipients are too large for a vault.
    case recipientsTooLarge
    /// The table of a store cannot be read.
    case storeTable(String, String)
    /// A row of a store's table, counted from 1.
    case storeRow(Int, String)
    /// A file of a store.
    case storeFile(String, LegacyError)
    /// The tag cannot be given, or there are too many.
    case invalidTag(String)
    /// What was to be added is no regular file.
    case notAFile(String, VaultFileKind)
    /// The file changed while it was read; nothing of it was added.
    case sourceChanged(String)
    /// A file of the vault, named as the vault names it.
    case file(String, AgeError)
    /// A repair with the key of a recipient was interrupted: nothing else opens the file of this entry yet.
    case notRewritten(String)
    /// The file of an entry is not there.
    case fileMissing(String)
    /// Files that could not be rewritten, and what is wrong with the first; all others were. Whether that was for the
    /// rekeying that was asked for, or for an earlier one that is not finished.
    indirect case notRekeyed(Int, VaultError, hasBegun: Bool)
    /// A file that no vault has put there.
    case strayFile(String)
    /// The index is missing or damaged; the files are as they were.
    case indexDamaged(StorageError)
    /// There are files of which the index knows nothing.
    case unknownFiles(Int)
    /// The index, or the root key.
    case storage(StorageError)
    /// The operating system refused.
    case io(SystemError)
    /// The caller called it off.
    case cancelled
}

/// What is no regular file.
public enum VaultFileKind: String, Sendable {
    /// A symbolic link, which is not followed.
    case link = "a symbolic link"
    /// A folder, where a file was expected.
    case folder = "a folder"
    /// A file of the vault itself.
    case own = "a part of the vault itself"
    /// A folder on which a disk was mounted.
    case unmounted = "a folder whose disk is not mounted"
    /// A device, a pipe or a socket.
    case special = "no regular file"
}

extension VaultError {
    /// An error of the index.
    init(index error: StorageError) {
        self =
            switch error {
            case .damaged, .notOurs: .indexDamaged(error)
            default: .storage(error)
            }
    }
}

extension VaultError: CustomStringConvertible {
    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .noVault(let path): "\(path) is no vault: make one with `mildam vault init`"
        case .folderTaken(let path): "\(path) is not empty: a vault needs a folder of its own"
        case .keysDoNotOpen(let path):
            "\(path) does not open: it belongs to another profile, or is damaged; restore it from a backup, or "
                + "`mildam vault repair -i FILE` opens the vault with the key of a recipient"
        case .noEntry(let name, let near):
            "the vault has nothing called \(name)" + (near.map { "; did you mean \($0)?" } ?? "")
        case .nameTaken(let name): "the vault has something called \(name) already"
        case .movedIntoItself(let name): "\(name) cannot be moved into itself: name a place outside of it"
        case .noVersion(let name, _, 0): "\(name) has no former versions"
        case .noVersion(let name, let number, let count):
            "\(name) has no version \(number): `mildam vault history` lists those that it has, 1 to \(count)"
        case .invalidName(let defect): "such a name cannot stand in a vault: \(defect.rawValue)"
        case .invalidRecipient(let text): "\(text) is no recipient: age1…, ssh-ed25519 … or ssh-rsa …"
        case .tooManyRecipients: "a vault takes at most \(VaultKeys.maximumRecipients) recipients"
        case .recipientsTooLarge:
            "these recipients are too large: a vault takes \(VaultKeys.maximumRecipientSize) bytes of a key, and "
                + "\(VaultKeys.maximumRecipientsSize) of all together"
        case .storeTable(let path, let reason): "\(path) is no table of a store: \(reason)"
        case .storeRow(let row, let reason): "row \(row): \(reason)"
        case .storeFile(let path, let error): "\(path): \(error)"
        case .invalidTag(let tag):
            "\(tag.isEmpty ? "an empty text" : tag) cannot be a tag: 1 to \(VaultEntry.maximumTagSize) bytes without control "
                + "characters, and at most \(VaultEntry.maximumTags) of them"
        case .notAFile(let path, let kind): "\(path) is \(kind.rawValue)"
        case .sourceChanged(let path): "\(path) changed while it was read; add it again"
        case .file(let name, let error): "\(name): \(error)"
        case .notRewritten(let name):
            "\(name): only the key of a recipient opens its file yet; finish what was begun: `mildam vault repair -i FILE`"
        case .fileMissing(let name): "\(name): its file is missing; restore it from a backup, or remove the entry"
        case .notRekeyed(let count, let error, let hasBegun):
            "\(error); restore or remove \(count == 1 ? "it" : "the \(count) files of which it is one"), and rekey again: "
                + (hasBegun ? "all others are done" : "an earlier rekeying waits for that, and this one has not begun")
        case .strayFile(let path): "\(path) is no file of a vault; it is left where it is"
        case .indexDamaged(let error):
            "\(error); or `mildam vault repair` makes a new index from the files and the copy of their names"
        case .unknownFiles(let count):
            "the index does not know \(count) file(s) of the vault, which would be lost: `mildam vault repair` first, and move "
                + "away what does not open"
        case .storage(let error): error.description
        case .io(let error): error.description
        case .cancelled: "cancelled"
        }
    }
}
