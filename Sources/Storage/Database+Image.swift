import CSQLite
import Glibc
import MildamSystem

/// A database as bytes: copied out of its file, and used in memory.
extension Database {
    /// The most bytes of an image: SQLite's own limit for a database in memory, 1 GiB.
    public static let maximumImage = 1 << 30

    /// The bytes of the database as its file would have them, of one state: with what the write-ahead log holds.
    ///
    /// - Throws: `.io` where they cannot be read, or there is no memory for them.
    public func image() throws(StorageError) -> [UInt8] {
        var size: Int64 = 0
        guard let bytes = unsafe sqlite3_serialize(connection.handle, "main", &size, 0), size >= 100 else {
            throw .io(SystemError("copy", path, code: ENOMEM))
        }
        defer { unsafe sqlite3_free(bytes) }
        return unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(size)))
    }

    /// The bytes of a database's file where nothing can be written, as ``image()`` has them.
    ///
    /// - Throws: `.io`; `EFBIG` for more than ``maximumImage`` bytes.
    public static func image(ofFile path: String) throws(StorageError) -> [UInt8] {
        guard (WholeFile.size(path + "-wal") ?? 0) > 0 else {
            do throws(SystemError) { return try WholeFile.read(path, limit: maximumImage) } catch { throw .io(error) }
        }
        // SQLite reads the log into memory of its own, where the index of it ("-shm") may not be written.
        let connection = try Connection(path: path, flags: SQLITE_OPEN_READONLY)
        unsafe sqlite3_busy_timeout(connection.handle, Options().busyTimeout)
        return try Database(connection, schema: Schema(applicationID: 0, migrations: [])).image()
    }

    /// Opens a database whose bytes are in memory, and brings its tables to the schema's version there: what is written
    /// to it is gone with it.
    ///
    /// - Parameter path: what errors call it.
    /// - Throws: `.notOurs`, `.newerVersion` or `.damaged` for what is not as the schema says.
    public convenience init(image: [UInt8], path: String, schema: Schema) throws(StorageError) {
        let connection = try Connection(inMemory: path)
        try connection.load(image)
        self.init(connection, schema: schema)
        let found: Int
        do throws(StorageError) {
            try Options().apply(to: connection)
            found = try schema.verify(self)
        } catch .misuse(let reason) {
            // These statements are sound: what SQLite does not understand is the image.
            throw .damaged(path: path, reason: reason)
        }
        if found < schema.version {
            try transaction { () throws(StorageError) in try schema.migrate(self) }
        }
    }

    /// Takes the content of another database in the place of all that is here, in one transaction: on the disk when this
    /// returns. Other connections go on with the new content.
    ///
    /// - Parameter isWanted: asked once no other connection can write any more. It must not use this one.
    /// - Returns: whether the content was taken.
    @discardableResult
    public func takeContent(
        of other: Database,
        if isWanted: () -> Bool = { true }
    ) throws(StorageError) -> Bool {
        guard
            let backup = unsafe sqlite3_backup_init(connection.handle, "main", other.connection.handle, "main")
        else { throw connection.error(unsafe sqlite3_errcode(connection.handle)) }
        // No page at first: that takes the right to write, and nothing else.
        var code = unsafe sqlite3_backup_step(backup, 0)
        let isTaken = code == SQLITE_OK && isWanted()
        if isTaken { code = unsafe sqlite3_backup_step(backup, -1) }
        let end = unsafe sqlite3_backup_finish(backup)
        guard code == (isTaken ? SQLITE_DONE : SQLITE_OK) else { throw connection.error(code) }
        try connection.check(end)
        return isTaken
    }
}

extension Connection {
    /// Fills a database in memory with a file's bytes.
    fileprivate func load(_ image: [UInt8]) throws(StorageError) {
        guard image.count >= 100 else { throw .damaged(path: path, reason: "it is too short for a database") }
        guard image.count <= Database.maximumImage else { throw .io(SystemError("read", path, code: EFBIG)) }
        guard let copy = unsafe sqlite3_malloc64(UInt64(image.count)) else {
            throw .io(SystemError("read", path, code: ENOMEM))
        }
        unsafe image.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe copy.copyMemory(from: start, byteCount: bytes.count) }
        }
        // A database in memory has no write-ahead log ("Database File Format", section 1.3.3).
        for place in 18...19 { unsafe copy.storeBytes(of: 1, toByteOffset: place, as: UInt8.self) }
        // SQLite frees the copy, also where it refuses it.
        try check(
            unsafe sqlite3_deserialize(
                handle,
                "main",
                copy.assumingMemoryBound(to: UInt8.self),
                Int64(image.count),
                Int64(image.count),
                UInt32(SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE)
            )
        )
    }
}
