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
    /// - Throws: `emptyPassword`, `invalidKeySize`, `sourceChanged`, `cancelled`, `io`; nothing is left then.
    @discardableResult
    public static func encrypt(
        _ source: String,
        to target: String,
        secret: borrowing RNCryptorSecret,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> Int {
        try encrypt(
            try RNCryptorError.reporting { () throws(SystemError) in try FileSource(source) },
            to: FileTarget(target, replacing: replacing),
            secret: secret,
            monitor: monitor
        )
    }

    /// Encrypts what a source gives, as version 3.
    ///
    /// - Throws: as for paths. Of a file nothing is left then; to a descriptor, what was written is out, and is refused
    ///   by whoever opens it.
    @discardableResult
    public static func encrypt(
        _ source: FileSource,
        to target: FileTarget,
        secret: borrowing RNCryptorSecret,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> Int {
        let header = RNCryptorHeader(
            salts: secret.isPassword ? RNCryptorHeader.Salts() : nil,
            iv: SecureRandom.bytes(count: blockSize)
        )
        let keys = try RNCryptorKeys(forNew: header, secret)
        return try target.write { (output) throws(RNCryptorError) in
            try encrypt(source, to: output, target.path, header, keys, monitor)
        }
    }

    /// Encrypts under a header and keys that no other file has.
    static func encrypt(
        _ source: FileSource,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ header: RNCryptorHeader,
        _ keys: RNCryptorKeys,
        _ monitor: FileMonitor
    ) throws(RNCryptorError) -> Int {
        let encryption = try RNCryptorEncryption(keys, header)
        var authenticator = RNCryptorAuthenticator(keys, header)
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
                try source.fill(&piece.bytes)
            }
            piece.isLast = end < FilePiece.size
            piece.resize(to: end)
            read += end
        } writing: { (piece) throws(RNCryptorError) in
            authenticator.update(piece.bytes.span)
            try emit(piece.bytes.span)
            done = piece.isLast ? read : done + FilePiece.size
            monitor.progress(done, source.size)
            if monitor.isCancelled() { throw RNCryptorError.cancelled }
        }
        let isUnchanged = try RNCryptorError.reporting { () throws(SystemError) in try source.isUnchanged() }
        guard isUnchanged else { throw .sourceChanged }
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
