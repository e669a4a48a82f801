import MildamStorage
import MildamSystem
import MildamWire

/// The file with a store's mark.
struct MarkFile: Sendable {
    let path: String

    /// The mark; `nil` where there is none that can be read.
    func read() -> StoreMark? {
        guard let bytes = try? WholeFile.read(path, limit: StoreMark.size) else { return nil }
        return try? StoreMark(wireBytes: bytes)
    }

    /// Puts the mark of a store in the place of the one before, and waits until it is on the disk.
    func write(_ row: StoreRow) throws(StorageError) {
        let bytes = StoreMark(incarnation: row.incarnation, number: row.mark).wireBytes
        do throws(SystemError) {
            try WholeFile.write(bytes.span, to: path)
        } catch {
            throw error.isOutOfSpace ? .full(path: path) : .io(error)
        }
    }
}
