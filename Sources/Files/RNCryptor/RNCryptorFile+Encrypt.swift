import Glibc
import MildamCrypto
import MildamSystem

extension RNCryptorFile {
    /// Encrypts a file to a path, as version 3.
    ///
    /// - Parameters:
    ///   - secret: a password, not an empty one, or two keys.
    ///   - replacing: whether to take the place of what is at the target when the file is whole.
    ///   - monitor: told of the bytes of the source that were encrypted.
    /// - Returns: the new file's size in bytes.
    /// - Throws: `emptyPassword`, `invalidKeySize`, `cancelled`, `io`; nothing is left then.
    @discardableResult
    public static func encrypt(
        _ source: String,
        to target: String,
        secret: borrowing RNCryptorSecret,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> Int {
        let file = try RNCryptorError.reporting { () throws(SystemError) in try Descriptor.open(source, O_RDONLY) }
        return try NewFile.write(target, replacing: replacing) { (output) throws(RNCryptorError) in
            try encrypt(file, source, to: output, target, secret, monitor)
        }
    }

    /// Encrypts what a descriptor gives, from its current position to its end, to a path.
    ///
    /// - Throws: as for a file; nothing is left then.
    @discardableResult
    public static func encrypt(
        from source: borrowing Descriptor,
        to target: String,
        secret: borrowing RNCryptorSecret,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> Int {
        try NewFile.write(target) { (output) throws(RNCryptorError) in
            try encrypt(source, nil, to: output, target, secret, monitor)
        }
    }

    /// Encrypts from a descriptor to a descriptor, such as pipes.
    ///
    /// - Throws: as for a file; what was written until then is out, and is refused by whoever opens it.
    @discardableResult
    public static func encrypt(
        from source: borrowing Descriptor,
        to target: borrowing Descriptor,
        secret: borrowing RNCryptorSecret,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> Int {
        try encrypt(source, nil, to: target, nil, secret, monitor)
    }

    private static func encrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ secret: borrowing RNCryptorSecret,
        _ monitor: FileMonitor
    ) throws(RNCryptorError) -> Int {
        let header = RNCryptorHeader(
            salts: secret.isPassword ? RNCryptorHeader.Salts() : nil,
            iv: SecureRandom.bytes(count: blockSize)
        )
        let keys = try RNCryptorKeys(forNew: header, secret)
        return try encrypt(source, sourcePath, to: target, targetPath, header, keys, monitor)
    }

    /// Encrypts under a header and keys that no other file has.
    static func encrypt(
        _ source: borrowing Descriptor,
        _ sourcePath: String?,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ header: RNCryptorHeader,
        _ keys: RNCryptorKeys,
        _ monitor: FileMonitor
    ) throws(RNCryptorError) -> Int {
        let encryption = try RNCryptorEncryption(keys, header)
        var authenticator = RNCryptorAuthenticator(keys, header)
        let total = try RNCryptorError.reporting { () throws(SystemError) in try source.regularSize(path: sourcePath) }
        var size = 0
        func emit(_ bytes: Span<UInt8>) throws(RNCryptorError) {
            size += bytes.count
            try RNCryptorError.reporting { () throws(SystemError) in try target.write(bytes, path: targetPath) }
        }
        var (read, done) = (0, 0)
        try emit(header.bytes.span)
        try encryption.run { (piece) throws(RNCryptorError) in
            piece.resize(to: FilePiece.size)
            let end = try RNCryptorError.reporting { () throws(SystemError) in
                try source.fill(&piece.bytes, path: sourcePath)
            }
            piece.isLast = end < FilePiece.size
            piece.resize(to: end)
            read += end
        } writing: { (piece) throws(RNCryptorError) in
            authenticator.update(piece.bytes.span)
            try emit(piece.bytes.span)
            done = piece.isLast ? read : done + FilePiece.size
            monitor.progress(done, total)
            if monitor.isCancelled() { throw RNCryptorError.cancelled }
        }
        try emit(authenticator.field.span)
        return size
    }
}

/// Encrypts the content of a new file on its way.
private final class RNCryptorEncryption: FileStage, @unchecked Sendable {  // one thread at a time, as FileStage says
    private var encryptor: Insecure.AES.CBC.Encryptor

    init(_ keys: RNCryptorKeys, _ header: RNCryptorHeader) throws(RNCryptorError) {
        do {
            encryptor = try Insecure.AES.CBC.Encryptor(key: keys.encryption, iv: Insecure.AES.IV(data: header.iv))
        } catch {
            throw .cryptography(error)
        }
    }

    func process(_ piece: inout FilePiece) {
        if piece.isLast {
            encryptor.finish(inPlace: &piece.bytes)
        } else {
            var blocks = piece.bytes.mutableSpan
            encryptor.update(inPlace: &blocks)
        }
    }
}
