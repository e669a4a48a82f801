import Glibc
import MildamCrypto
import MildamSystem

/// Whole files in layouts without authentication, read in constant memory.
///
/// A target path names nothing new until the content is whole, its padding found right, and synced. To a descriptor
/// nothing goes out before the padding was found right. Neither says that the content is what was written; see
/// `LegacyOpened`.
public enum LegacyFile {
    /// Decrypts a file to a path.
    ///
    /// - Parameters:
    ///   - password: in UTF-8.
    ///   - replacing: whether to take the place of what is at the target when the content is whole.
    ///   - monitor: told of the bytes of the source that were read. It hears nothing more while they are decrypted, but
    ///     may still stop.
    /// - Throws: `LegacyError`, with `EEXIST` where something is there that is not to be replaced; nothing is left
    ///   then.
    @discardableResult
    public static func decrypt(
        _ source: String,
        to target: String,
        password: borrowing SecretBytes,
        layout: LegacyLayout,
        replacing: Bool = true,
        monitor: FileMonitor = FileMonitor()
    ) throws(LegacyError) -> LegacyOpened {
        try decrypt(
            try LegacyError.reporting { () throws(SystemError) in try FileSource(source) },
            to: FileTarget(target, replacing: replacing),
            password: password,
            layout: layout,
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
        password: borrowing SecretBytes,
        layout: LegacyLayout,
        monitor: FileMonitor = FileMonitor()
    ) throws(LegacyError) -> LegacyOpened {
        let candidates = try LegacyCandidate.all(layout, password)
        return try target.write { (output) throws(LegacyError) in
            try decrypt(source, to: output, target.path, candidates, monitor)
        }
    }

    /// Keeps the ciphertext in a temporary file, whose end says which key it is, and decrypts it from there.
    private static func decrypt(
        _ source: FileSource,
        to target: borrowing Descriptor,
        _ targetPath: String?,
        _ candidates: [LegacyCandidate],
        _ monitor: FileMonitor
    ) throws(LegacyError) -> LegacyOpened {
        var kept = try LegacyError.reporting { () throws(SystemError) in try KeptCiphertext() }
        var piece = FilePiece()
        repeat {
            piece.resize(to: FilePiece.size)
            do throws(SystemError) {
                let end = try source.fill(&piece.bytes)
                piece.isLast = end < FilePiece.size
                piece.resize(to: end)
                try kept.append(piece)
            } catch {
                throw .io(error)
            }
            monitor.progress(kept.size, source.size)
            if monitor.isCancelled() { throw .cancelled }
        } while !piece.isLast
        let isUnchanged = try LegacyError.reporting { () throws(SystemError) in try source.isUnchanged() }
        guard isUnchanged else { throw .sourceChanged }

        guard kept.size > 0, kept.size.isMultiple(of: 16) else { throw .truncated }
        let end = try LegacyError.reporting { () throws(SystemError) in try kept.end }
        let fitting = candidates.filter { $0.fits(end) }
        guard let candidate = fitting.first else { throw .wrongPadding }
        var cipher = try candidate.cipher()
        var size = 0
        try cipher.decrypt { (piece) throws(LegacyError) in
            do throws(SystemError) { try kept.read(into: &piece) } catch { throw LegacyError.io(error) }
            if monitor.isCancelled() { throw LegacyError.cancelled }
        } writing: { (piece) throws(LegacyError) in
            try LegacyError.reporting { () throws(SystemError) in try target.write(piece.bytes.span, path: targetPath) }
            size += piece.bytes.count
        } failure: { (error) -> LegacyError in
            error == .invalidParameter ? .wrongPadding : .cryptography(error)
        }
        return LegacyOpened(key: candidate.form, hasOtherKey: fitting.count > 1, size: size)
    }
}
