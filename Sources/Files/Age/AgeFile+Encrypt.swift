import Glibc
import MildamSystem

extension AgeFile {
    /// Encrypts a file to a path.
    ///
    /// - Parameters:
    ///   - armored: whether the new file is to be text (`AgeArmor`), a third larger.
    ///   - digesting: whether to hash the new file on the way.
    ///   - replacing: whether to take the place of what is at the target when the file is whole.
    ///   - monitor: told of the bytes of the source that were encrypted.
    /// - Returns: the new file's size, and its digest where it was asked for.
    /// - Throws: `noRecipients`, `tooManyRecipients`, `invalidRecipient`, `sourceChanged`, `cancelled`, `io`; nothing is
    ///   left then.
    @discardableResult
    public static func encrypt(
        _ source: String,
        to target: String,
        recipients: [any AgeRecipient],
        armored: Bool = false,
        digesting: Bool = false,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try encrypt(
            try AgeError.reporting { () throws(SystemError) in try FileSource(source) },
            to: FileTarget(target, replacing: replacing),
            recipients: recipients,
            armored: armored,
            digesting: digesting,
            monitor: monitor
        )
    }

    /// Encrypts what a source gives.
    ///
    /// - Throws: as for paths. Of a file nothing is left then; to a descriptor, what was written is out, and `truncated`
    ///   to whoever opens it.
    @discardableResult
    public static func encrypt(
        _ source: FileSource,
        to target: FileTarget,
        recipients: [any AgeRecipient],
        armored: Bool = false,
        digesting: Bool = false,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> AgeCiphertext {
        try target.write { (output) throws(AgeError) in
            let meters = AgeMeters(file: ByteMeter(digesting: digesting))
            try encrypt(source, to: try output.copy(), target.path, recipients, armored, meters, monitor)
            return AgeCiphertext(meters.file)
        }
    }

    /// Encrypts to a descriptor, under the eyes of meters.
    ///
    /// - Parameters:
    ///   - targetPath: for errors.
    ///   - buffers: what a file of less than a chunk is encrypted in; `nil` for memory of its own.
    package static func encrypt(
        _ source: FileSource,
        to target: consuming Descriptor,
        _ targetPath: String?,
        _ recipients: [any AgeRecipient],
        _ armored: Bool,
        _ meters: AgeMeters,
        _ monitor: FileMonitor,
        in buffers: AgeSealingBuffers? = nil
    ) throws(AgeError) {
        let fileKey = AgeFileKey()
        let header = try AgeHeader(wrapping: fileKey, for: recipients)
        let pieces = AgePiece(of: source.size)
        let content = PlainInput(source, meter: meters.content)
        let file = AgeOutput(
            target,
            path: targetPath,
            header: header.bytes,
            armored: armored,
            meter: meters.file
        )
        let (input, output) = (
            PieceSource(content, size: pieces.size), AgePieceTarget(file, total: source.size, monitor: monitor)
        )
        var workers: [AgeSealingWorker] = []
        let lent = pieces.chunks == 1 ? buffers : nil
        for _ in 0..<pieces.workerCount {
            let sealer = try fileKey.payloadSealer(nonce: header.nonce)
            workers.append(AgeSealingWorker(pieces, input, output, sealer, in: lent))
        }
        try OrderedFlow.run(workers)
        let isUnchanged = try AgeError.reporting { () throws(SystemError) in try source.isUnchanged() }
        guard isUnchanged else { throw .sourceChanged }
        try file.finish()
    }
}

extension Descriptor {
    /// Another descriptor of the same open file, for those who outlive this borrow.
    borrowing func copy() throws(AgeError) -> Descriptor {
        do throws(SystemError) { return try duplicate() } catch { throw .io(error) }
    }
}
