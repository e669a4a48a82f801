import Glibc
import MildamSystem

extension AgeFile {
    /// Writes a file that others can open: the same content under the same file key, which is not encrypted anew.
    ///
    /// Whoever has a copy of the old file and could open it, or has kept its file key, can open the new one as well. A
    /// new key needs the content encrypted anew.
    ///
    /// - Parameters:
    ///   - source: the file.
    ///   - target: a file at its start.
    ///   - identities: one of them opens the file.
    ///   - recipients: those who can open the new one.
    ///   - monitor: told of the bytes of the source that were copied.
    /// - Returns: the new file's size in bytes.
    /// - Throws: `AgeError`. The content is copied as it is, damaged or not.
    @discardableResult
    public static func rewrap(
        _ source: String,
        to target: borrowing Descriptor,
        identities: [any AgeIdentity],
        recipients: [any AgeRecipient],
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        let file: Descriptor = try io { () throws(SystemError) in try Descriptor.open(source, O_RDONLY) }
        let size = try io { () throws(SystemError) in try file.regularSize(path: source) }
        guard let size else { throw .io(SystemError("read at any place of", source, code: ESPIPE)) }
        let (header, _) = try readHeader(
            PlainInput(try io { () throws(SystemError) in try FileSource(file) }, meter: ByteMeter())
        )
        let fileKey = try header.fileKey(for: identities)
        let new = try AgeHeader(wrapping: fileKey, for: recipients, nonce: header.nonce)
        try io { () throws(SystemError) in try target.write(new.bytes.span) }
        let start = header.bytes.count
        var position = start
        while position < size {
            let count = min(copiedAtOnce, size - position)
            try io { () throws(SystemError) in try file.copy(position..<position + count, to: target, path: source) }
            position += count
            monitor.progress(position, size)
            if monitor.isCancelled() { throw .cancelled }
        }
        return new.bytes.count + size - start
    }

    /// Writes the same content under a new file key.
    ///
    /// - Parameters: as for `rewrap`.
    /// - Returns: the new file's size in bytes.
    /// - Throws: `AgeError`; what was written is of no use then.
    @discardableResult
    public static func reencrypt(
        _ source: String,
        to target: borrowing Descriptor,
        identities: [any AgeIdentity],
        recipients: [any AgeRecipient],
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        let file: FileSource = try io { () throws(SystemError) in try FileSource(source) }
        let content = try io { () throws(SystemError) in
            try FilePipe { (target) throws(AgeError) in
                try decrypt(file, to: target, identities: identities, monitor: monitor)
            }
        }
        let output = try io { () throws(SystemError) in try FileTarget(target) }
        let made = try encrypt(content.source, to: output, recipients: recipients)
        _ = try content.outcome()
        return made.size
    }

    private static let copiedAtOnce = 64 << 20
}
