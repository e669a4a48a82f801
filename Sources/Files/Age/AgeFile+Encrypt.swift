import Glibc
import MildamSystem

extension AgeFile {
    /// Encrypts a file to a path.
    ///
    /// - Parameters:
    ///   - armored: whether the new file is to be text (`AgeArmor`), a third larger.
    ///   - digesting: whether to hash the new file on the way.
    ///   - monitor: told of the bytes of the source that were encrypted.
    /// - Returns: the new file's size, and its digest where it was asked for.
    /// - Throws: `noRecipients`, `tooManyRecipients`, `invalidRecipient`, `cancelled`, `io`; nothing is left then.
    @discardableResult
    public static func encrypt(
        _ source: String,
        to target: String,
        recipients: [any AgeRecipient],
        armored: Bool = false,
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        let file = try AgeError.reporting { () throws(SystemError) in try Descriptor.open(source, O_RDONLY) }
        return try NewFile.write(target) { (output) throws(AgeError) in
            try encrypt(file, source, to: output, target, recipients, armored, digesting, monitor)
        }
    }

    /// Encrypts what a descriptor gives, from its current position to its end, to a path.
    ///
    /// - Throws: as for a file; nothing is left then.
    @discardableResult
    public static func encrypt(
        from source: borrowing Descriptor,
        to target: String,
        recipients: [any AgeRecipient],
        armored: Bool = false,
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try NewFile.write(target) { (output) throws(AgeError) in
            try encrypt(source, nil, to: output, target, recipients, armored, digesting, monitor)
        }
    }

    /// Encrypts from a descriptor to a descriptor, such as pipes.
    ///
    /// - Throws: as for a file; what was written until then is out, and `truncated` to whoever opens it.
    @discardableResult
    public static func encrypt(
        from source: borrowing Descriptor,
        to target: borrowing Descriptor,
        recipients: [any AgeRecipient],
        armored: Bool = false,
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try encrypt(source, nil, to: target, nil, recipients, armored, digesting, monitor)
    }

    private static func encrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ recipients: [any AgeRecipient],
        _ armored: Bool,
        _ digesting: Bool,
        _ monitor: FileMonitor
    ) throws(AgeError) -> AgeCiphertext {
        var encryptor = try AgeEncryptor(recipients: recipients)
        var output = AgeOutput(armored: armored, digesting: digesting)
        let total = try AgeError.reporting { () throws(SystemError) in try source.regularSize(path: sourcePath) }
        var done = 0
        try output.write(encryptor.header.bytes.span, to: target, path: targetPath)

        // Two buffers, because only the reading of the next chunk tells whether a full one is the last.
        var chunk = chunkBuffer()
        var next = chunkBuffer()
        var filled = try AgeError.reporting { () throws(SystemError) in try source.fill(&chunk, path: sourcePath) }
        var isLast: Bool
        repeat {
            let isFull = filled == AgeEncryptor.chunkSize
            let following =
                isFull
                ? try AgeError.reporting { () throws(SystemError) in try source.fill(&next, path: sourcePath) } : 0
            isLast = following == 0
            done += filled
            chunk.removeLast(AgeEncryptor.chunkSize - filled)
            try encryptor.seal(&chunk, isLast: isLast)
            try output.write(chunk.span, to: target, path: targetPath)
            chunk.removeLast(AgeEncryptor.tagSize)
            swap(&chunk, &next)
            filled = following
            monitor.progress(done, total)
            if monitor.isCancelled() { throw .cancelled }
        } while !isLast
        return try output.finish(to: target, path: targetPath)
    }

    /// Room for a chunk and its tag.
    private static func chunkBuffer() -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(AgeDecryptor.sealedChunkSize)
        buffer.append(contentsOf: repeatElement(0, count: AgeEncryptor.chunkSize))
        return buffer
    }
}
