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
            let meters = AgeMeters(file: ByteMeter(digesting: digesting))
            try encrypt(file, source, to: output, target, recipients, armored, meters, monitor)
            return AgeCiphertext(meters.file)
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
            let meters = AgeMeters(file: ByteMeter(digesting: digesting))
            try encrypt(source, nil, to: output, target, recipients, armored, meters, monitor)
            return AgeCiphertext(meters.file)
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
        let meters = AgeMeters(file: ByteMeter(digesting: digesting))
        try encrypt(source, nil, to: target, nil, recipients, armored, meters, monitor)
        return AgeCiphertext(meters.file)
    }

    /// Encrypts from a descriptor to a descriptor, under the eyes of meters.
    ///
    /// - Parameters:
    ///   - sourcePath: for errors.
    ///   - targetPath: for errors.
    package static func encrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ recipients: [any AgeRecipient],
        _ armored: Bool,
        _ meters: AgeMeters,
        _ monitor: FileMonitor
    ) throws(AgeError) {
        let fileKey = AgeFileKey()
        let header = try AgeHeader(wrapping: fileKey, for: recipients)
        let total = try AgeError.reporting { () throws(SystemError) in try source.regularSize(path: sourcePath) }
        let pieces = AgePiece(of: total)
        let content = PlainInput(try source.copy(), path: sourcePath, meter: meters.content)
        let file = AgeOutput(try target.copy(), path: targetPath, armored: armored, meter: meters.file)
        try file.write(header.bytes.span)
        let (input, output) = (
            PieceSource(content, size: pieces.size), AgePieceTarget(file, total: total, monitor: monitor)
        )
        var workers: [AgeSealingWorker] = []
        for _ in 0..<pieces.workerCount {
            workers.append(AgeSealingWorker(pieces, input, output, try fileKey.payloadSealer(nonce: header.nonce)))
        }
        try OrderedFlow.run(workers)
        try file.finish()
    }
}

extension Descriptor {
    /// Another descriptor of the same open file, for those who outlive this borrow.
    borrowing func copy() throws(AgeError) -> Descriptor {
        do throws(SystemError) { return try duplicate() } catch { throw .io(error) }
    }
}
