import Glibc
import MildamStorage
import MildamSystem

/// The folder beside a keychain's file that holds copies of its last states. Each is a whole database, of whatever version
/// its tables are, and as sealed as the file: what opens the keychain opens it.
struct KeychainCopies: Sendable {
    /// The most copies.
    static let maximumCount = 10
    /// The most bytes of all copies together; of a larger keychain there are none.
    static let maximumBytes = 128 << 20

    private let folder: String

    /// Those of the keychain in a file.
    init(of keychain: String) { folder = keychain + ".copies" }

    /// What is there, the newest first.
    ///
    /// - Throws: `io`, also where another user could have put them there.
    func all() throws(KeychainError) -> [KeychainCopy] {
        do throws(SystemError) { return try found() } catch { throw .io(error) }
    }

    private func found() throws(SystemError) -> [KeychainCopy] {
        guard try TrustedFolder.check(folder) else { return [] }
        return try names().compactMap { KeychainCopy(named: $0, in: folder) }.sorted {
            ($0.time, $0.number) > ($1.time, $1.number)
        }
    }

    private func names() throws(SystemError) -> [String] {
        try Folder.entries(of: folder).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The turn to keep a state, which begins before that is read; `nil` while another program has it.
    func turn() throws(SystemError) -> CopyTurn? {
        try TrustedFolder.create(folder)
        return try CopyTurn(in: folder)
    }

    /// Keeps a state: on the disk when this returns, whole or not at all. The oldest go. The caller has the turn.
    ///
    /// - Parameter needed: stays, however old it is.
    /// - Throws: `io`; `ENOSPC` where it would take more than a tenth of the room on the disk.
    func keep(
        _ image: [UInt8],
        number: UInt64,
        time: Int64,
        sparing needed: KeychainCopy? = nil
    ) throws(KeychainError) {
        do throws(SystemError) {
            guard image.count <= Self.maximumBytes, image.count <= (try DiskRoom(at: folder)).freeBytes / 10 else {
                throw SystemError("keep a copy in", folder, code: ENOSPC)
            }
            let copy = KeychainCopy(number: number, time: time, in: folder)
            var file = try NewFile(for: copy.path)
            try file.descriptor.write(image.span, path: copy.path)
            try file.publish(replacing: false)
            try prune(sparing: needed)
        } catch {
            throw .io(error)
        }
    }

    /// Deletes what is more than there may be. Another program that has the turn does that itself.
    func trim() {
        guard let held = try? turn() else { return }
        defer { withExtendedLifetime(held) {} }
        try? prune()
    }

    /// Deletes what is more than there may be, and what a program that was killed left behind.
    private func prune(sparing needed: KeychainCopy? = nil) throws(SystemError) {
        var size = 0
        for (place, copy) in try found().enumerated() {
            size += WholeFile.size(copy.path) ?? 0
            guard place > 0, copy != needed, place >= Self.maximumCount || size > Self.maximumBytes else { continue }
            try remove(copy.path)
        }
        try removeParts()
    }

    /// Deletes what a program that was killed left of a copy. The caller has the turn.
    private func removeParts() throws(SystemError) {
        for name in try names() where name.hasSuffix(".part") { try remove(folder + "/" + name) }
    }

    /// Deletes every copy, one that is being made, and what is left of one; on the disk when this returns.
    ///
    /// - Throws: `io`.
    func removeAll() throws(KeychainError) {
        do throws(SystemError) {
            guard try TrustedFolder.check(folder) else { return }
            let turn = try CopyTurn(waitingIn: folder)
            defer { withExtendedLifetime(turn) {} }
            for copy in try found() { try remove(copy.path) }
            try removeParts()
            try Folder.synchronize(folder)
        } catch {
            throw .io(error)
        }
    }

    private func remove(_ path: String) throws(SystemError) {
        // Another program may have been faster.
        guard unsafe unlink(path) == 0 || errno == ENOENT else { throw .last("delete", path) }
    }
}

extension KeychainCopy {
    /// The copy as a database in memory, with the tables of the present version.
    ///
    /// - Throws: `storage`, `io`.
    func database() throws(KeychainError) -> Database {
        do throws(SystemError) { try TrustedFolder.check(file: path) } catch { throw .io(error) }
        return try mapping { () throws(StorageError) in
            try Database(image: Database.image(ofFile: path), path: path, schema: KeychainSchema.schema)
        }
    }

    /// How many items it has.
    ///
    /// - Throws: `storage` for a copy that is damaged; `io`.
    public func itemCount() throws(KeychainError) -> Int {
        let database = try database()
        return try mapping { () throws(StorageError) in
            try database.first("SELECT count(*) FROM item") { row throws(StorageError) in try row.int(0) } ?? 0
        }
    }

    /// How many bytes it has; `nil` when it is gone.
    public var size: Int? { WholeFile.size(path) }
}
