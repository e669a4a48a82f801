import MildamSystem

extension WholeFile {
    /// Whether a database, or the file of its key, is there.
    ///
    /// - Throws: `io` where that cannot be known.
    package static func isThere(stored path: String) throws(StorageError) -> Bool {
        do throws(SystemError) { return try isThere(path) } catch { throw .io(error) }
    }
}
