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
            try decrypt(file, source, to: output, target, identities, announced, monitor)
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
            try decrypt(source, nil, to: output, target, identities, announced, monitor)
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
        try decrypt(source, nil, to: target, nil, identities, announced, monitor)
    }

    private static func decrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ identities: [any AgeIdentity],
        _ announced: AgeCiphertext?,
        _ monitor: FileMonitor
    ) throws(AgeError) -> Int {
        var input = AgeInput(digesting: announced?.digest != nil)
        var sealed = [UInt8](repeating: 0, count: AgeDecryptor.sealedChunkSize)
        func fill(from start: Int) throws(AgeError) -> Int {
            try input.fill(&sealed, from: start, reading: source, path: sourcePath)
        }
        let total = try AgeError.reporting { () throws(SystemError) in try source.regularSize(path: sourcePath) }

        var parser = AgeHeaderParser()
        var filled: Int
        var used: Int
        repeat {
            filled = try fill(from: 0)
            used = try parser.consume(sealed.span.extracting(..<filled))
        } while used == sealed.count
        var decryptor = try AgeDecryptor(header: parser.finish(), identities: identities)

        // What was read beyond the header begins the first chunk.
        let beginning = Array(sealed[used..<filled])
        sealed.replaceSubrange(..<beginning.count, with: beginning)
        filled = try fill(from: beginning.count)

        var content: [UInt8] = []
        content.reserveCapacity(AgeDecryptor.sealedChunkSize)
        var size = 0
        while filled > 0 {
            try decryptor.open(sealed.span.extracting(..<filled), into: &content)
            try AgeError.reporting { () throws(SystemError) in try target.write(content.span, path: targetPath) }
            size += content.count
            monitor.progress(input.size, total)
            if monitor.isCancelled() { throw .cancelled }
            filled = try fill(from: 0)
        }
        try decryptor.finish()
        if let announced, announced != input.ciphertext { throw .differentCiphertext }
        return size
    }
}
