import Glibc
import MildamSystem

extension AgeFile {
    /// Encrypts a file to a path.
    ///
    /// - Parameters:
    ///   - digesting: whether to hash the new file on the way.
    ///   - monitor: told of the bytes of the source that were encrypted.
    /// - Returns: the new file's size, and its digest where it was asked for.
    /// - Throws: `noRecipients`, `tooManyRecipients`, `invalidRecipient`, `cancelled`, `io`; nothing is left then.
    @discardableResult
    public static func encrypt(
        _ source: String,
        to target: String,
        recipients: [any AgeRecipient],
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        let file = try io { () throws(SystemError) in try Descriptor.open(source, O_RDONLY) }
        return try NewFile.write(target) { (output) throws(AgeError) in
            try encrypt(file, source, to: output, target, recipients, digesting, monitor)
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
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try NewFile.write(target) { (output) throws(AgeError) in
            try encrypt(source, nil, to: output, target, recipients, digesting, monitor)
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
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try encrypt(source, nil, to: target, nil, recipients, digesting, monitor)
    }

    private static func encrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ recipients: [any AgeRecipient],
        _ digesting: Bool,
        _ monitor: FileMonitor
    ) throws(AgeError) -> AgeCiphertext {
        let fileKey = AgeFileKey()
        let header = try AgeHeader(wrapping: fileKey, for: recipients)
        let total = try io { () throws(SystemError) in try source.regularSize(path: sourcePath) } as Int?
        let input = PieceSource(try source.copy(), path: sourcePath, size: AgePiece.size)
        let meter = AgeCiphertext.Meter(digesting: digesting)
        let output = AgePieceTarget(
            try target.copy(),
            path: targetPath,
            total: total,
            monitor: monitor,
            meter: meter
        )
        try output.write(header.bytes.span, of: 0)
        var workers: [AgeSealingWorker] = []
        for _ in 0..<AgePiece.workerCount(for: total) {
            workers.append(AgeSealingWorker(input, output, try fileKey.payloadSealer(nonce: header.nonce)))
        }
        try OrderedFlow.run(workers)
        return meter.ciphertext
    }
}

extension Descriptor {
    /// Another descriptor of the same open file, for those who outlive this borrow.
    borrowing func copy() throws(AgeError) -> Descriptor {
        do throws(SystemError) { return try duplicate() } catch { throw .io(error) }
    }
}
