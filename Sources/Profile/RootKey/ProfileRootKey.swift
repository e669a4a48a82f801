import Glibc
import MildamCrypto
import MildamKeychain
import MildamStorage
import MildamSystem

/// The root key of a profile: in the profile's keychain where there is one, else in a file beside the databases.
///
/// A profile that was made before its keychain has a key in a file. It moves in three steps, of which each can be the last
/// before a power cut: ``beginMove()`` puts a *new* key into the keychain and gives the file another name, the databases are
/// sealed anew under the new key, and ``endMove()`` removes the file. The key that it held stays in the keychain, for vaults
/// that lie elsewhere and were not opened meanwhile.
///
/// The items are readable from the first unlocking on, on this device only, in an access group that no program is granted.
public struct ProfileRootKey: RootKeySource {
    /// Where the key is.
    enum Place: Sendable {
        /// In a file, or nowhere yet.
        case file
        /// In the keychain, while the databases are sealed anew.
        case moving
        /// In the keychain.
        case keychain

        /// Where the key of the profile in a folder is now.
        ///
        /// - Throws: `io` where that cannot be known: a key that was taken for missing would be made anew.
        init(in folder: String) throws(StorageError) {
            if try WholeFile.isThere(stored: folder + "/root.key") {
                self = .file
            } else if try WholeFile.isThere(stored: folder + "/root.key.earlier") {
                self = .moving
            } else {
                self = try WholeFile.isThere(stored: folder + "/keychain.db") ? .keychain : .file
            }
        }
    }

    /// The group of the items.
    public static let accessGroup = AccessGroup.owners + ".profile"
    private static let service = "mildam root key"
    private static let keySize = 32
    private static let missing =
        "the profile's root key is missing from it: it was removed, or the file is from before the key was kept there; "
        + "`mildam keychain trash` and `mildam keychain copies` show what may still have it"

    private let folder: String
    private let keychain: @Sendable () throws(KeychainError) -> any Keychain

    /// The root key of the profile in a folder.
    ///
    /// - Parameter keychain: gives the profile's keychain, open; asked each time that the key is wanted.
    init(in folder: String, keychain: @escaping @Sendable () throws(KeychainError) -> any Keychain) {
        self.folder = folder
        self.keychain = keychain
    }

    private var file: String { folder + "/root.key" }
    private var earlierFile: String { folder + "/root.key.earlier" }

    /// Where the key is now.
    var place: Place { get throws(StorageError) { try Place(in: folder) } }

    /// The key.
    ///
    /// - Throws: `locked` when the keychain is; `damaged` when there is no key and none is to be made; `io`.
    public func rootKey(making: Bool) throws(StorageError) -> SymmetricKey {
        guard try place == .file else { return try keyInKeychain(making: making) }
        do throws(StorageError) {
            return try RootKeyFile(path: file).rootKey(making: making)
        } catch {
            // It may have moved just now.
            guard try place != .file else { throw error }
            return try keyInKeychain(making: making)
        }
    }

    /// The key that was in the file.
    public func earlierRootKey() throws(StorageError) -> SymmetricKey? {
        switch try place {
        case .file: return nil
        case .moving: return try RootKeyFile(path: earlierFile).rootKey(making: false)
        case .keychain: return try found(.earlier)
        }
    }

    // MARK: Moving

    /// Begins to move the key into the keychain. To be called while no other program works with the profile.
    ///
    /// - Throws: `locked`; `io`. The profile is then as it was.
    func beginMove() throws(StorageError) {
        guard try WholeFile.isThere(stored: file) else { return }
        _ = try keyInKeychain(making: true)
        guard unsafe rename(file, earlierFile) == 0 else { throw .io(.last("rename", file)) }
        do throws(SystemError) { try Folder.synchronize(folder) } catch { throw .io(error) }
    }

    /// Ends the move: to be called when nothing in the profile lies under the key of the file.
    func endMove() throws(StorageError) {
        guard try place == .moving else { return }
        try keep(try RootKeyFile(path: earlierFile).rootKey(making: false), as: .earlier)
        guard unsafe unlink(earlierFile) == 0 || errno == ENOENT else { throw .io(.last("remove", earlierFile)) }
        do throws(SystemError) { try Folder.synchronize(folder) } catch { throw .io(error) }
    }

    // MARK: The items

    private enum Account: String {
        case present = "present"
        case earlier = "earlier"
    }

    private func query(_ account: Account) -> KeychainQuery {
        var query = KeychainQuery.genericPassword(service: Self.service, account: account.rawValue)
        query.accessGroup = Self.accessGroup
        return query
    }

    private func keyInKeychain(making: Bool) throws(StorageError) -> SymmetricKey {
        if let key = try found(.present) { return key }
        guard making else {
            throw .damaged(path: folder + "/keychain.db", reason: Self.missing)
        }
        // Another program may be faster: what is in the keychain then counts, and not what was made here.
        try keep(SymmetricKey(size: .bits256), as: .present)
        guard let kept = try found(.present) else {
            throw .damaged(path: folder + "/keychain.db", reason: "the profile's root key was not kept")
        }
        return kept
    }

    private func found(_ account: Account) throws(StorageError) -> SymmetricKey? {
        let item: KeychainItem
        do throws(KeychainError) {
            item = try keychain().item(query(account))
        } catch .itemNotFound {
            return nil
        } catch {
            throw StorageError(keychain: error)
        }
        guard let secret = item.secret, secret.count == Self.keySize else {
            throw .damaged(path: folder + "/keychain.db", reason: "the profile's root key is not a key")
        }
        return unsafe secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
    }

    /// Adds a key, unless there is one.
    private func keep(_ key: SymmetricKey, as account: Account) throws(StorageError) {
        let secret = unsafe key.withUnsafeBytes { unsafe SecretValue(copying: $0) }
        var item = NewItem(
            .genericPassword,
            [.service: .text(Self.service), .account: .text(account.rawValue)],
            secret: secret
        )
        item.accessGroup = Self.accessGroup
        item.accessibility = .afterFirstUnlockThisDeviceOnly
        do throws(KeychainError) {
            try keychain().add(item)
        } catch .duplicateItem {
            return
        } catch {
            throw StorageError(keychain: error)
        }
    }
}

extension StorageError {
    /// Why a keychain did not give a key.
    init(keychain error: KeychainError) {
        self =
            switch error {
            case .storage(let error): error
            case .io(let error): .io(error)
            case .damagedItem, .changedFromOutside, .rolledBack:
                .damaged(path: "the keychain", reason: error.description)
            default: .locked(reason: error.description)
            }
    }
}
