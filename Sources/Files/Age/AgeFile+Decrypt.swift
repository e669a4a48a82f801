import Glibc
import MildamSystem

extension AgeFile {
    /// Decrypts a file to a path, out of its armor if it stands in one.
    ///
    /// - Parameters:
    ///   - announced: the size and digest that the file must have; the target appears only if it has them.
    ///   - replacing: whether to take the place of what is at the target when the content is whole.
    ///   - monitor: told of the bytes of the source that were decrypted.
    /// - Returns: the content's size in bytes.
    /// - Throws: `AgeError`, with `EEXIST` where something is there that is not to be replaced; nothing is left then.
    @discardableResult
    public static func decrypt(
        _ source: String,
        to target: String,
        identities: [any AgeIdentity],
        announced: AgeCiphertext? = nil,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        try decrypt(
            try AgeError.reporting { () throws(SystemError) in try FileSource(source) },
            to: FileTarget(target, replacing: replacing),
            identities: identities,
            announced: announced,
            monitor: monitor
        )
    }

    /// Decrypts what a source gives, out of its armor if it stands in one.
    ///
    /// - Throws: as for paths. Of a file nothing is left then; to a descriptor, the chunks before the one that failed,
    ///   each verified, are out.
    @discardableResult
    public static func decrypt(
        _ source: FileSource,
        to target: FileTarget,
        identities: [any AgeIdentity],
        announced: AgeCiphertext? = nil,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        try target.write { (output) throws(AgeError) in
            let meters = AgeMeters(file: ByteMeter(digesting: announced?.digest != nil))
            try decrypt(source, to: try output.copy(), target.path, identities, meters, monitor)
            if let announced, announced != AgeCiphertext(meters.file) { throw .differentCiphertext }
            return meters.content.size
        }
    }

    /// Decrypts what a source gives, and has its content looked at before a file appears.
    package static func decrypt(
        _ source: FileSource,
        to target: FileTarget,
        identities: [any AgeIdentity],
        monitor: FileMonitor,
        checking check: (ByteMeter) throws(AgeError) -> Void
    ) throws(AgeError) {
        try target.write { (output) throws(AgeError) in
            let meters = AgeMeters(content: ByteMeter(digesting: true))
            try decrypt(source, to: try output.copy(), target.path, identities, meters, monitor)
            try check(meters.content)
        }
    }

    /// Decrypts to a descriptor, or only looks whether it can be, under the eyes of meters.
    ///
    /// - Parameters:
    ///   - target: `nil` for nowhere.
    ///   - targetPath: for errors.
    package static func decrypt(
        _ source: FileSource,
        to target: consuming Descriptor?,
        _ targetPath: String?,
        _ identities: [any AgeIdentity],
        _ meters: AgeMeters,
        _ monitor: FileMonitor
    ) throws(AgeError) {
        let file = AgeInput(PlainInput(source, meter: meters.file))
        let (header, beginning) = try readHeader(file)
        let fileKey = try header.fileKey(for: identities)
        let pieces = AgePiece(of: source.size)
        let content = AgeOutput(target, path: targetPath, meter: meters.content)
        let (input, output) = (
            PieceSource(file, size: pieces.sealedSize, beginning: beginning),
            AgePieceTarget(content, total: source.size, monitor: monitor)
        )
        var workers: [AgeOpeningWorker] = []
        for _ in 0..<pieces.workerCount {
            workers.append(AgeOpeningWorker(pieces, input, output, try fileKey.payloadOpener(nonce: header.nonce)))
        }
        try OrderedFlow.run(workers)
    }

    /// Reads a header, and with it the beginning of what follows.
    static func readHeader(
        _ input: some PieceInput
    ) throws(AgeError) -> (header: AgeHeader, beginning: [UInt8]) {
        var parser = AgeHeaderParser()
        var buffer = [UInt8](repeating: 0, count: AgePayload.sealedChunkSize)
        while true {
            let filled = try input.fill(&buffer, from: 0)
            let used = try parser.consume(buffer.span.extracting(..<filled))
            if used < buffer.count { return (try parser.finish(), Array(buffer[used..<filled])) }
        }
    }
}
