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
        let file = try AgeError.reporting { () throws(SystemError) in try Descriptor.open(source, O_RDONLY) }
        return try NewFile.write(target, replacing: replacing) { (output) throws(AgeError) in
            try decrypt(file, source, to: try output.copy(), target, identities, announced, monitor)
        }
    }

    /// Decrypts what a descriptor gives, from its current position to its end, to a path; it may be armored.
    ///
    /// - Throws: `AgeError`; nothing is left then.
    @discardableResult
    public static func decrypt(
        from source: borrowing Descriptor,
        to target: String,
        identities: [any AgeIdentity],
        announced: AgeCiphertext? = nil,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        try NewFile.write(target) { (output) throws(AgeError) in
            try decrypt(source, nil, to: try output.copy(), target, identities, announced, monitor)
        }
    }

    /// Decrypts from a descriptor to a descriptor, such as pipes; what comes may be armored.
    ///
    /// - Throws: `AgeError`; the chunks before the one that failed, each verified, are out then.
    @discardableResult
    public static func decrypt(
        from source: borrowing Descriptor,
        to target: borrowing Descriptor,
        identities: [any AgeIdentity],
        announced: AgeCiphertext? = nil,
        monitor: FileMonitor = FileMonitor()
    ) throws(AgeError) -> Int {
        try decrypt(source, nil, to: try target.copy(), nil, identities, announced, monitor)
    }

    private static func decrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: consuming Descriptor,
        _ targetPath: String?,
        _ identities: [any AgeIdentity],
        _ announced: AgeCiphertext?,
        _ monitor: FileMonitor
    ) throws(AgeError) -> Int {
        let meters = AgeMeters(file: ByteMeter(digesting: announced?.digest != nil))
        try decrypt(source, sourcePath, to: target, targetPath, identities, meters, monitor)
        if let announced, announced != AgeCiphertext(meters.file) { throw .differentCiphertext }
        return meters.content.size
    }

    /// Decrypts from a descriptor to a descriptor, or only looks whether it can be, under the eyes of meters.
    ///
    /// - Parameters:
    ///   - sourcePath: for errors.
    ///   - target: `nil` for nowhere.
    ///   - targetPath: for errors.
    package static func decrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: consuming Descriptor?,
        _ targetPath: String?,
        _ identities: [any AgeIdentity],
        _ meters: AgeMeters,
        _ monitor: FileMonitor
    ) throws(AgeError) {
        let total = try AgeError.reporting { () throws(SystemError) in try source.regularSize(path: sourcePath) }
        let file = AgeInput(PlainInput(try source.copy(), path: sourcePath, meter: meters.file))
        let (header, beginning) = try readHeader(file)
        let fileKey = try header.fileKey(for: identities)
        let pieces = AgePiece(of: total)
        let content = AgeOutput(target, path: targetPath, meter: meters.content)
        let (input, output) = (
            PieceSource(file, size: pieces.sealedSize, beginning: beginning),
            AgePieceTarget(content, total: total, monitor: monitor)
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
