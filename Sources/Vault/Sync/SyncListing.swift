import Glibc
import MildamSystem

/// What is in a folder that is kept in step with a vault. Links are not followed, and the vault is passed over.
struct SyncListing {
    /// A file that was to take the place of another.
    struct Part: Sendable {
        let name: VaultName
        let stamp: SyncStamp
    }

    /// The regular files, in no order.
    private(set) var files: [(name: VaultName, stamp: SyncStamp)] = []
    /// What cannot be in a vault, and why not.
    private(set) var refusals: [(path: String, error: VaultError)] = []
    /// Of these, those whose names can: what the vault has of such a name, or below it, is left alone.
    private(set) var left = SyncLeft()
    /// What synchronisations of this vault left that were killed: no files of anybody.
    private(set) var leftovers: [Part] = []
    /// The disks that are mounted below the folder.
    private(set) var disks: [(name: VaultName, disk: SyncDisk)] = []
    private let vault: FileIdentity?
    private let folder: SyncFolder

    /// - Parameter vault: the vault's folder.
    /// - Throws: `io` where the folder itself cannot be read.
    init(_ folder: SyncFolder, besides vault: String) throws(VaultError) {
        self.vault = FileIdentity(vault)
        self.folder = folder
        let open = try Self.opened(folder)
        try walk(open, folder.path, nil, on: try Self.identity(of: open, folder.path).device)
    }

    /// Leaves a file out, for a reason that was found later.
    mutating func refuse(_ name: VaultName, at path: String, _ error: VaultError) {
        refusals.append((path, error))
        left.insert(name)
    }

    /// - Parameters:
    ///   - open: the folder, open: what lies at its path may be another by now.
    ///   - device: the number of the disk that it is on.
    private mutating func walk(
        _ open: borrowing Descriptor,
        _ path: String,
        _ folder: VaultName?,
        on device: UInt64
    ) throws(VaultError) {
        for part in try Self.entries(of: open, path) {
            let place = "\(path)/\(String(decoding: part, as: UTF8.self))"
            let name: VaultName
            do throws(VaultError) {
                name = try Self.name(part, in: folder)
            } catch {
                refusals.append((place, error))
                continue
            }
            do throws(VaultError) { try take(open, place, name, on: device) } catch { refuse(name, at: place, error) }
        }
    }

    private mutating func take(
        _ folder: borrowing Descriptor,
        _ path: String,
        _ name: VaultName,
        on device: UInt64
    ) throws(VaultError) {
        let parts = self.folder.parts
        var status = stat()
        guard unsafe fstatat(folder.number, String(name.lastPart), &status, AT_SYMLINK_NOFOLLOW) == 0 else {
            throw .io(.last("look at", path))
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG where parts.haveMade(name.lastPart):
            leftovers.append(Part(name: name, stamp: SyncStamp(status)))
        case S_IFREG where SyncParts.isMark(name.lastPart): break
        case S_IFREG: files.append((name, SyncStamp(status)))
        case S_IFLNK: throw .notAFile(path, .link)
        case S_IFDIR:
            let inner = try Self.opened(name, in: folder, path)
            let identity = try Self.identity(of: inner, path)
            if identity == vault { throw .notAFile(path, .own) }
            if identity.device != device {
                let mounted = try disk(of: inner, path)
                disks.append((name, mounted))
            }
            try walk(inner, path, name, on: identity.device)
        default: throw .notAFile(path, .special)
        }
    }

    private static func opened(_ folder: SyncFolder) throws(VaultError) -> Descriptor {
        do throws(SystemError) { return try folder.opened() } catch { throw .io(error) }
    }

    private static func opened(
        _ name: VaultName,
        in folder: borrowing Descriptor,
        _ path: String
    ) throws(VaultError) -> Descriptor {
        let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
        let number = unsafe openat(folder.number, String(name.lastPart), flags)
        guard number >= 0 else { throw .io(.last("read the folder", path)) }
        return Descriptor(owning: number)
    }

    private static func identity(of folder: borrowing Descriptor, _ path: String) throws(VaultError) -> FileIdentity {
        do throws(SystemError) {
            let status = try folder.status(path: path)
            return FileIdentity(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
        } catch {
            throw .io(error)
        }
    }

    private func disk(of root: borrowing Descriptor, _ path: String) throws(VaultError) -> SyncDisk {
        do throws(SystemError) { return try folder.disk(of: root, path) } catch { throw .io(error) }
    }

    private static func name(_ part: [UInt8], in folder: VaultName?) throws(VaultError) -> VaultName {
        let name = try VaultName(bytes: part)
        guard let folder else { return name }
        return try folder.appending(name.description)
    }

    private static func entries(of folder: borrowing Descriptor, _ path: String) throws(VaultError) -> [[UInt8]] {
        do throws(SystemError) { return try Folder.entries(of: folder, path: path) } catch { throw .io(error) }
    }
}

/// Names with everything below them: those that are left alone on both sides, for one.
struct SyncLeft: Sendable {
    private var names: Set<[UInt8]> = []

    mutating func insert(_ name: VaultName) { names.insert(name.key) }

    /// Whether a name is one of them, or stands below one.
    func contains(_ name: [UInt8]) -> Bool {
        guard !names.isEmpty else { return false }
        if names.contains(name) { return true }
        for (place, byte) in name.enumerated() where byte == UInt8(ascii: "/") {
            if names.contains(Array(name[..<place])) { return true }
        }
        return false
    }
}
