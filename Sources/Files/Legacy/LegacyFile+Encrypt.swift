import Glibc
import MildamCrypto
import MildamSystem

extension LegacyFile {
    /// Encrypts what a source gives in the layout `pbkdf2`, for a program that reads nothing else. Nobody will notice when
    /// the file is changed.
    ///
    /// - Parameters:
    ///   - password: in UTF-8.
    ///   - salt: random for each file.
    ///   - iv: random for each file, 16 bytes.
    /// - Returns: the new file's size in bytes.
    /// - Throws: `LegacyError`; of a file nothing is left then.
    @discardableResult
    public static func encrypt(
        _ source: FileSource,
        to target: FileTarget,
        password: borrowing SecretBytes,
        salt: [UInt8],
        iv: [UInt8],
        rounds: Int
    ) throws(LegacyError) -> Int {
        let candidates = try LegacyCandidate.all(.pbkdf2(salt: salt, iv: iv, rounds: rounds), password)
        guard let candidate = candidates.first else { throw .invalidParameter }
        var encryptor: Insecure.AES.CBC.Encryptor
        do throws(CryptoKitError) {
            encryptor = try Insecure.AES.CBC.Encryptor(key: candidate.key, iv: candidate.iv)
        } catch {
            throw .cryptography(error)
        }
        return try target.write { (output) throws(LegacyError) in
            var piece = FilePiece()
            var size = 0
            repeat {
                piece.resize(to: FilePiece.size)
                do throws(SystemError) {
                    let end = try source.fill(&piece.bytes)
                    piece.isLast = end < FilePiece.size
                    piece.resize(to: end)
                } catch {
                    throw .io(error)
                }
                if piece.isLast {
                    encryptor.finish(inPlace: &piece.bytes)
                } else {
                    var blocks = piece.bytes.mutableSpan
                    encryptor.update(inPlace: &blocks)
                }
                let bytes = piece.bytes
                size += bytes.count
                try LegacyError.reporting { () throws(SystemError) in try output.write(bytes.span, path: target.path) }
            } while !piece.isLast
            let isUnchanged = try LegacyError.reporting { () throws(SystemError) in try source.isUnchanged() }
            guard isUnchanged else { throw .sourceChanged }
            return size
        }
    }
}
