import MildamCrypto
import MildamFiles
import MildamSystem

/// Writes an age file, of which nothing appears before it is whole and synced. What waits to be sealed is wiped.
struct BundleOutput: ~Copyable {
    private var file: NewFile
    private let path: String
    private var encryptor: AgeEncryptor
    private var chunk: [UInt8] = []
    private var size = 0

    init(_ path: String, _ recipients: [any AgeRecipient]) throws(TransferError) {
        let encryptor = try TransferError.ofAge { () throws(AgeError) in try AgeEncryptor(recipients: recipients) }
        let header = encryptor.header.bytes
        let file = try TransferError.ofSystem { () throws(SystemError) in try NewFile(for: path) }
        try TransferError.ofSystem { () throws(SystemError) in try file.descriptor.write(header.span, path: path) }
        self.path = path
        self.encryptor = encryptor
        self.file = file
        // With its capacity it never moves, and so leaves no copy behind.
        chunk.reserveCapacity(AgeEncryptor.chunkSize + AgeEncryptor.tagSize)
    }

    /// Appends content.
    ///
    /// - Throws: `tooLarge`, `file`, `io`.
    mutating func append(_ bytes: Span<UInt8>) throws(TransferError) {
        size += bytes.count
        guard size <= TransferLimits.documentSize else { throw .tooLarge(limit: TransferLimits.documentSize) }
        var start = 0
        while start < bytes.count {
            if chunk.count == AgeEncryptor.chunkSize { try seal(isLast: false) }
            let end = min(bytes.count, start + AgeEncryptor.chunkSize - chunk.count)
            unsafe bytes.extracting(start..<end).withUnsafeBufferPointer { unsafe chunk.append(contentsOf: $0) }
            start = end
        }
    }

    /// Seals the rest, syncs the file and gives it its name.
    mutating func finish(replacing: Bool) throws(TransferError) {
        try seal(isLast: true)
        do throws(SystemError) { try file.publish(replacing: replacing) } catch { throw .io(error) }
    }

    /// Wipes what was not sealed.
    mutating func wipe() { chunk.wipe() }

    private mutating func seal(isLast: Bool) throws(TransferError) {
        do throws(AgeError) { try encryptor.seal(&chunk, isLast: isLast) } catch { throw .file(error) }
        do throws(SystemError) { try file.descriptor.write(chunk.span, path: path) } catch { throw .io(error) }
        chunk.removeAll(keepingCapacity: true)
    }
}
