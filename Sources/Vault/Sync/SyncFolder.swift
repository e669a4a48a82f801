import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// A folder that is kept in step with a vault. Nothing below it is reached through a link.
struct SyncFolder: Sendable {
    /// Its path: absolute, and without links.
    let path: String
    /// Which folder it is (`SyncDisk`). Another when it was made anew, or another disk lies there; 0 where nothing tells.
    private(set) var number: UInt64
    /// What the vault's own files in it are called.
    let parts: SyncParts
    private let isTold: SyncDisk.Rule
    private let place: UInt64
    private var mark: String?
    /// The disks that are mounted below it, by the bytes of their names.
    private var disks: [[UInt8]: SyncDisk] = [:]

    /// - Parameters:
    ///   - vault: the vault's folder, which it must not be in.
    ///   - isTold: which file systems are enough to know a folder again by.
    /// - Throws: `io` where there is no such folder; `notAFile`.
    init(
        _ folder: String,
        besides vault: String,
        _ parts: SyncParts,
        told isTold: @escaping SyncDisk.Rule = SyncDisk.rule
    ) throws(VaultError) {
        self.parts = parts
        self.isTold = isTold
        path = Folder.canonical(folder)
        guard WholeFile.isTaken(path) else { throw .io(SystemError("open", folder, code: ENOENT)) }
        guard Folder.isFolder(path) else { throw .io(SystemError("open", folder, code: ENOTDIR)) }
        let disk: SyncDisk
        do throws(SystemError) {
            let open = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
            place = try SyncDisk.place(of: open, path)
            disk = try SyncDisk(of: open, path, parts, isTold)
        } catch {
            throw .io(error)
        }
        number = disk.number
        mark = disk.mark
        let own = Folder.canonical(vault)
        guard path != own, !path.utf8.starts(with: (own + "/").utf8) else { throw .notAFile(folder, .own) }
    }

    /// Which disk a folder below it is the root of.
    func disk(of folder: borrowing Descriptor, _ path: String) throws(SystemError) -> SyncDisk {
        try SyncDisk(of: folder, path, parts, isTold)
    }

    /// Remembers the disks that are mounted below it: where another lies by now, or none, nothing is read or written.
    mutating func remember(_ disks: [(name: VaultName, disk: SyncDisk)]) {
        for (name, disk) in disks { self.disks[name.key] = disk }
    }

    // MARK: Marks

    /// Leaves a mark in it where nothing else would tell it from another one the next time. Where none can be written, it is
    /// taken for another one then, and nothing is removed.
    mutating func leaveMark() {
        guard number == 0, let new = leaveMark(in: nil), let known = parts.mark(new) else { return }
        mark = new
        number = known
    }

    /// Leaves a mark in a folder below it, or in itself, in the place of those that are there.
    ///
    /// - Returns: its name; `nil` where none can be written.
    func leaveMark(in folder: VaultName?) -> String? {
        let new = parts.newMark()
        guard let name = try? Self.name(new, in: folder), let open = try? holder(of: name, making: false) else {
            return nil
        }
        let path = path(of: name)
        for entry in (try? Folder.entries(of: open, path: path)) ?? [] {
            let other = String(decoding: entry, as: UTF8.self)
            if parts.mark(other) != nil { unsafe unlinkat(open.number, other, 0) }
        }
        return (try? Self.writeMark(new, until: parts.name(), path, in: open)) == nil ? nil : new
    }

    private static func name(_ part: String, in folder: VaultName?) throws(VaultError) -> VaultName {
        guard let folder else { return try VaultName(part) }
        return try folder.appending(part)
    }

    private static func writeMark(
        _ name: String,
        until part: String,
        _ path: String,
        in folder: borrowing Descriptor
    ) throws(VaultError) {
        var file = try newFile(name, until: part, path, in: folder)
        let text = Array("By this file, mildam vault sync tells this folder from others.\n".utf8)
        do throws(SystemError) {
            try file.descriptor.write(text.span, path: path)
            try file.publish(replacing: false)
        } catch {
            throw .io(error)
        }
    }

    // MARK: Files

    /// Opens the folder itself.
    ///
    /// - Throws: `SystemError`, with `ESTALE` where another folder lies there by now, or none.
    func opened() throws(SystemError) -> Descriptor {
        let folder: Descriptor
        do throws(SystemError) {
            folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        } catch {
            throw error.code == ENOENT || error.code == ENOTDIR ? SystemError("open", path, code: ESTALE) : error
        }
        try Self.check(folder, path, is: place, with: mark)
        return folder
    }

    private static func check(
        _ folder: borrowing Descriptor,
        _ path: String,
        is place: UInt64,
        with mark: String?
    ) throws(SystemError) {
        let there = try SyncDisk.place(of: folder, path)
        guard there == place else { throw SystemError("open", path, code: ESTALE) }
        if let mark, stamp(of: mark, in: folder) == nil { throw SystemError("open", path, code: ESTALE) }
    }

    /// Where a file is, for errors.
    func path(of name: VaultName) -> String { "\(path)/\(name)" }

    /// Opens a regular file.
    ///
    /// - Throws: `notAFile`, `io`.
    func open(_ name: VaultName) throws(VaultError) -> FileSource {
        let path = path(of: name)
        let file = try descriptor(of: name)
        do throws(SystemError) { return try FileSource(owning: file, path: path) } catch { throw .io(error) }
    }

    /// The digest of a file's content: SHA-256, 32 bytes.
    ///
    /// - Parameters:
    ///   - stamp: how the file stands.
    ///   - monitor: told of the bytes that were read.
    /// - Throws: `sourceChanged` where it stands otherwise; `notAFile`, `io`, `cancelled`.
    func digest(of name: VaultName, standing stamp: SyncStamp, _ monitor: FileMonitor) throws(VaultError) -> [UInt8] {
        let file = try descriptor(of: name)
        var (hash, size) = (SHA256(), 0)
        // What grows meanwhile might never end.
        while size <= stamp.size {
            guard !monitor.isCancelled() else { throw .cancelled }
            let piece = try read(file, at: size, name)
            guard !piece.isEmpty else { break }
            hash.update(data: piece)
            size += piece.count
            monitor.progress(size, stamp.size)
        }
        guard size == stamp.size, try self.stamp(of: file, name) == stamp else { throw .sourceChanged(path(of: name)) }
        return Array(hash.finalize())
    }

    private func read(_ file: borrowing Descriptor, at place: Int, _ name: VaultName) throws(VaultError) -> [UInt8] {
        do throws(SystemError) {
            return try file.read(upTo: 1 << 20, at: place, path: path(of: name))
        } catch {
            throw .io(error)
        }
    }

    private func stamp(of file: borrowing Descriptor, _ name: VaultName) throws(VaultError) -> SyncStamp {
        do throws(SystemError) {
            return try SyncStamp(file.status(path: path(of: name)))
        } catch {
            throw .io(error)
        }
    }

    private func descriptor(of name: VaultName) throws(VaultError) -> Descriptor {
        let path = path(of: name)
        do throws(SystemError) {
            let folder = try holder(of: name, making: false)
            // Of a pipe, nobody waits for the other end.
            let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
            let number = unsafe openat(folder.number, String(name.lastPart), flags)
            guard number >= 0 else { throw SystemError.last("open", path) }
            let file = Descriptor(owning: number)
            let mode = try file.status(path: path).st_mode
            guard mode & S_IFMT == S_IFREG else { throw SystemError("read", path, code: ENOTSUP) }
            return file
        } catch {
            switch error.code {
            case ELOOP: throw .notAFile(path, .link)
            case ENOTSUP: throw .notAFile(path, .special)
            default: throw .io(error)
            }
        }
    }

    /// What the system says of a file; `nil` where there is none of this name.
    private static func status(of name: String, in folder: borrowing Descriptor) -> stat? {
        var status = stat()
        guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return status
    }

    /// How a file stands; `nil` where there is none of this name.
    private static func stamp(of name: String, in folder: borrowing Descriptor) -> SyncStamp? {
        status(of: name, in: folder).map { SyncStamp($0) }
    }

    /// Writes a file, which appears when it is whole and synced. It has the permissions of the file whose place it takes; a
    /// new one has 0600.
    ///
    /// - Parameters:
    ///   - modified: when its content was last changed, in seconds since 1970.
    ///   - replaced: how the file stands that it takes the place of; `nil` where there is to be none.
    ///   - content: writes it.
    /// - Returns: how it stands.
    /// - Throws: what `content` throws; `sourceChanged` where the file to be replaced stands otherwise by now; `io`, with
    ///   `EEXIST` where there is one after all. Nothing is changed then.
    func write(
        _ name: VaultName,
        modified: Int64,
        replacing replaced: SyncStamp?,
        _ content: (FileTarget) throws(VaultError) -> Void
    ) throws(VaultError) -> SyncStamp {
        let folder: Descriptor
        do throws(SystemError) { folder = try holder(of: name, making: true) } catch { throw .io(error) }
        return try Self.write(name, until: parts.name(), path(of: name), into: folder, modified, replaced, content)
    }

    private static func write(
        _ name: VaultName,
        until part: String,
        _ path: String,
        into folder: borrowing Descriptor,
        _ modified: Int64,
        _ replaced: SyncStamp?,
        _ content: (FileTarget) throws(VaultError) -> Void
    ) throws(VaultError) -> SyncStamp {
        let last = String(name.lastPart)
        var file = try newFile(last, until: part, path, in: folder)
        let target: FileTarget
        do throws(SystemError) { target = try FileTarget(file.descriptor) } catch { throw .io(error) }
        try content(target)
        do throws(SystemError) {
            // There are file systems that keep no time: the content is worth more.
            try? file.setModified(modified)
            try file.descriptor.synchronize(path: path)
        } catch {
            throw .io(SystemError(error.operation, path, code: error.code))
        }
        // As late as can be: what somebody has changed meanwhile is not overwritten.
        if let replaced {
            guard let now = status(of: last, in: folder), SyncStamp(now) == replaced else { throw .sourceChanged(path) }
            file.takePermissions(of: now)
        }
        do throws(SystemError) {
            try file.publish(replacing: replaced != nil)
            return try SyncStamp(file.descriptor.status(path: path))
        } catch {
            throw .io(SystemError(error.operation, path, code: error.code))
        }
    }

    /// Begins a file in a folder that is open: a path might lead elsewhere by now.
    private static func newFile(
        _ name: String,
        until part: String,
        _ path: String,
        in folder: borrowing Descriptor
    ) throws(VaultError) -> NewFile {
        do throws(SystemError) {
            let place = "/proc/self/fd/\(folder.number)"
            return try NewFile(for: "\(place)/\(name)", unnamed: true, until: "\(place)/\(part)")
        } catch {
            throw .io(SystemError(error.operation, path, code: error.code))
        }
    }

    /// Removes a file, and the folders that are empty then.
    ///
    /// - Parameter stamp: how it has to stand.
    /// - Throws: `sourceChanged` where it stands otherwise; `io`.
    func remove(_ name: VaultName, standing stamp: SyncStamp) throws(VaultError) {
        let path = path(of: name)
        do throws(SystemError) {
            let folder = try holder(of: name, making: false)
            let last = String(name.lastPart)
            guard Self.stamp(of: last, in: folder) == stamp else { throw SystemError("remove", path, code: ESTALE) }
            guard unsafe unlinkat(folder.number, last, 0) == 0 else { throw SystemError.last("remove", path) }
            guard fsync(folder.number) == 0 else { throw SystemError.last("sync the folder of", path) }
        } catch {
            throw error.code == ESTALE ? .sourceChanged(path) : .io(error)
        }
        var emptied = name
        while let folder = emptied.parent {
            guard let above = try? holder(of: folder, making: false),
                unsafe unlinkat(above.number, String(folder.lastPart), AT_REMOVEDIR) == 0
            else { return }
            emptied = folder
        }
    }

    /// Removes what a synchronisation left that was killed, if it stands as it did.
    func clear(_ left: SyncListing.Part) {
        guard let folder = try? holder(of: left.name, making: false) else { return }
        let last = String(left.name.lastPart)
        guard Self.stamp(of: last, in: folder) == left.stamp else { return }
        unsafe unlinkat(folder.number, last, 0)
    }

    /// Whether nothing has a name; not where that cannot be known.
    func isFree(_ name: VaultName) -> Bool {
        do throws(SystemError) {
            let folder = try holder(of: name, making: false)
            var status = stat()
            return unsafe fstatat(folder.number, String(name.lastPart), &status, AT_SYMLINK_NOFOLLOW) != 0
                && errno == ENOENT
        } catch {
            return error.code == ENOENT || error.code == ENOTDIR
        }
    }

    /// Opens the folder that a file is in, name by name.
    ///
    /// - Parameter making: whether to make what is not there, with permissions 0700.
    /// - Throws: `SystemError`, with `ESTALE` where the folder that is kept in step, or a disk below it, is another by now.
    private func holder(of name: VaultName, making: Bool) throws(SystemError) -> Descriptor {
        var folder = try opened()
        var way = path
        var key: [UInt8] = []
        for part in name.parts.dropLast() {
            way += "/" + part
            if !key.isEmpty { key.append(UInt8(ascii: "/")) }
            key += part.utf8
            if making {
                if unsafe mkdirat(folder.number, part, 0o700) == 0 {
                    guard fsync(folder.number) == 0 else { throw .last("sync the folder of", way) }
                } else if errno != EEXIST {
                    throw .last("create the folder", way)
                }
            }
            let number = unsafe openat(folder.number, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard number >= 0 else { throw .last("open", way) }
            folder = Descriptor(owning: number)
            if let disk = disks[key] { try Self.check(folder, way, is: disk.place, with: disk.mark) }
        }
        return folder
    }
}

extension VaultName {
    /// The name's bytes: text that a reader takes for the same may be two names.
    var key: [UInt8] { Array(description.utf8) }

    /// What stands between the slashes.
    var parts: [String] {
        description.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
    }

    /// The name of the folder that it is in; `nil` where it is in none.
    var parent: VaultName? {
        guard let slash = description.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return try? VaultName(description[..<slash])
    }
}
