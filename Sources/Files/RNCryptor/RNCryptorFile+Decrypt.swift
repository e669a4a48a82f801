import Glibc
import MildamCrypto
import MildamSystem

extension RNCryptorFile {
    /// Decrypts a file to a path.
    ///
    /// - Parameters:
    ///   - replacing: whether to take the place of what is at the target when the content is whole.
    ///   - monitor: told of the bytes of the source that were read. Where they are read before anything is decrypted
    ///     (of version 0, or with a password that may have been cut short), it hears nothing more then, but may still
    ///     stop.
    /// - Throws: `RNCryptorError`, with `EEXIST` where something is there that is not to be replaced; nothing is left
    ///   then.
    @discardableResult
    public static func decrypt(
        _ source: String,
        to target: String,
        secret: borrowing RNCryptorSecret,
        format: RNCryptorFormat = .detected,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> RNCryptorOpened {
        try decrypt(
            try RNCryptorError.reporting { () throws(SystemError) in try FileSource(source) },
            to: FileTarget(target, replacing: replacing),
            secret: secret,
            format: format,
            monitor: monitor
        )
    }

    /// Decrypts what a source gives.
    ///
    /// - Throws: as for paths. Nothing is left of a file then, and nothing is out to a descriptor, unless writing failed
    ///   or the caller called it off.
    @discardableResult
    public static func decrypt(
        _ source: FileSource,
        to target: FileTarget,
        secret: borrowing RNCryptorSecret,
        format: RNCryptorFormat = .detected,
        monitor: FileMonitor = FileMonitor()
    ) throws(RNCryptorError) -> RNCryptorOpened {
        let reader = try RNCryptorReader(source, format, hasPassword: secret.isPassword)
        let candidates = try RNCryptorKeys.candidates(for: reader.header, secret)
        return try target.write { (output) throws(RNCryptorError) in
            // A new file has no name before the HMAC is known: content may go there at once, if there is no doubt how.
            if target.path != nil, candidates.count == 1, let layout = RNCryptorLayout(reader.header.version) {
                return try decryptAtOnce(reader, candidates[0], layout, to: output, target.path, monitor)
            }
            return try decryptVerified(reader, candidates, format, to: output, target.path, monitor)
        }
    }

    /// Decrypts while the HMAC is made, to a file that has no name yet.
    private static func decryptAtOnce(
        _ start: RNCryptorReader,
        _ keys: RNCryptorKeys,
        _ layout: RNCryptorLayout,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ monitor: FileMonitor
    ) throws(RNCryptorError) -> RNCryptorOpened {
        var reader = start
        let authentication = RNCryptorAuthentication([keys], reader.header)
        var cipher = try RNCryptorContent.chainingCipher(reader.header, keys)
        var done = reader.header.bytes.count
        var size = 0
        try authentication.run { (piece) throws(RNCryptorError) in
            try reader.read(into: &piece)
        } writing: { (piece) throws(RNCryptorError) in
            done = piece.isLast ? reader.count : done + piece.bytes.count
            if piece.isLast { _ = try authentication.verified(reader.field, size: piece.bytes.count) }
            do throws(CryptoKitError) {
                try cipher.decrypt(&piece)
            } catch {
                throw RNCryptorError(ofCipher: error)
            }
            try RNCryptorError.reporting { () throws(SystemError) in
                try target.write(piece.bytes.span, path: targetPath)
            }
            size += piece.bytes.count
            monitor.progress(done, reader.total)
            if monitor.isCancelled() { throw RNCryptorError.cancelled }
        }
        return RNCryptorOpened(layout: layout, isPasswordTruncated: keys.isPasswordTruncated, size: size)
    }

    /// Keeps the ciphertext in a temporary file until its HMAC was found right, and decrypts it from there: what was
    /// verified cannot change any more.
    private static func decryptVerified(
        _ start: RNCryptorReader,
        _ candidates: [RNCryptorKeys],
        _ format: RNCryptorFormat,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ monitor: FileMonitor
    ) throws(RNCryptorError) -> RNCryptorOpened {
        var reader = start
        var kept = try RNCryptorError.reporting { () throws(SystemError) in try KeptCiphertext() }
        let authentication = RNCryptorAuthentication(candidates, reader.header)
        try authentication.run { (piece) throws(RNCryptorError) in
            try reader.read(into: &piece)
        } writing: { (piece) throws(RNCryptorError) in
            do throws(SystemError) { try kept.append(piece) } catch { throw RNCryptorError.io(error) }
            monitor.progress(piece.isLast ? reader.count : reader.header.bytes.count + kept.size, reader.total)
            if monitor.isCancelled() { throw RNCryptorError.cancelled }
        }
        let verified = try authentication.verified(reader.field, size: kept.size)
        let end = try RNCryptorError.reporting { () throws(SystemError) in try kept.end }
        let content = RNCryptorContent(reader.header, verified, format, size: kept.size, end: end)
        var size = 0
        try content.decrypt { (piece) throws(RNCryptorError) in
            do throws(SystemError) { try kept.read(into: &piece) } catch { throw RNCryptorError.io(error) }
            if monitor.isCancelled() { throw RNCryptorError.cancelled }
        } writing: { (piece) throws(RNCryptorError) in
            try RNCryptorError.reporting { () throws(SystemError) in
                try target.write(piece.bytes.span, path: targetPath)
            }
            size += piece.bytes.count
        }
        return content.opened(size: size)
    }
}
