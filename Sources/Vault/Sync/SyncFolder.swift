import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// A folder that is kept in step with a vault. Nothing below it is reached through a link.
struct SyncFolder: Sendable {
    /// Its path: absolute, and without links.
    let path: String
    /// Which folder it is: its number in its file system (`st_ino`) with that of the file system (`f_fsid`). Another when it
    /// was made anew, or another disk lies there.
    let number: UInt64
    /// What new files are called until they take their places.
    let parts: SyncParts

    /// - Parameter vault: the vault's folder, which it must not be in.
    /// - Throws: `io` where there is no such folder; `notAFile`.
    init(_ folder: String, besides vault: String, _ parts: SyncParts) throws(VaultError) {
        self.parts = parts
        path = Folder.canonical(folder)
        guard WholeFile.isTaken(path) else { throw .io(SystemError("open", folder, code: ENOENT)) }
        guard Folder.isFolder(path) else { throw .io(SystemError("open", folder, code: ENOTDIR)) }
        do throws(SystemError) { number = try Self.number(of: path) } catch { throw .io(error) }
        let own = Folder.canonical(vault)
        guard path != own, !path.utf8.starts(with: (own + "/").utf8) else { throw .notAFile(folder, .own) }
    }

    private static func number(of path: String) throws(SystemError) -> UInt64 {
        let folder = try Descriptor.open(path, O_RDONLY | O_DIRECTORY)
        return try number(of: folder, path)
    }

    private static func number(of folder: borrowing Descriptor, _ path: String) throws(SystemError) -> UInt64 {
        var system = statvfs()
        guard unsafe fstatvfs(folder.number, &system) == 0 else { throw .last("look at", path) }
        let status = try folder.status(path: path)
        return UInt64(status.st_ino) ^ UInt64(system.f_fsid)
    }

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
        let there = try Self.number(of: folder, path)
        guard there == number else { throw SystemError("open", path, code: ESTALE) }
        return folder
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

    /// How a file stands; `nil` where there is none of this name.
    private static func stamp(of name: String, in folder: borrowing Descriptor) -> SyncStamp? {
        var status = stat()
        guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
            status.st_mode & S_IFMT == S_IFREG
        else { return nil }
        return SyncStamp(status)
    }

    /// Writes a file, which appears when it is whole and synced.
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
            let now = stamp(of: last, in: folder)
            guard now == replaced else { throw .sourceChanged(path) }
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
    /// - Throws: `SystemError`, with `ESTALE` where the folder that is kept in step is another by now.
    private func holder(of name: VaultName, making: Bool) throws(SystemError) -> Descriptor {
        var folder = try opened()
        var way = path
        for part in name.parts.dropLast() {
            way += "/" + part
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
