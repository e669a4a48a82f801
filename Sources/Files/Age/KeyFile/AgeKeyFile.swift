import FoundationEssentials
import MildamCrypto
import MildamSystem

/// Files of keys, as age reads and writes them: a key on each line, and between them empty lines and comments, which
/// begin with `#`. A private key file of SSH counts as one of one key.
///
/// Files are read into secret memory, which is wiped. Errors name the line, and nothing of what stands there.
public enum AgeKeyFile {
    /// The largest file that is read, in bytes: 1 MiB.
    public static let maximumSize = 1 << 20

    /// The text of a new identity's file, as `age-keygen -o` writes it.
    ///
    /// ```
    /// # created: 2026-11-21T18:12:31Z
    /// # public key: age1…
    /// AGE-SECRET-KEY-1…
    /// ```
    ///
    /// - Parameter created: seconds since 1970.
    public static func text(of identity: AgeX25519Identity, created: Int64) -> SecretBytes {
        let date = Date(timeIntervalSince1970: TimeInterval(created)).formatted(.iso8601)
        let comments = Array("# created: \(date)\n# public key: \(identity.recipient)\n".utf8)
        let secret = identity.secretTextBytes
        return unsafe SecretBytes(count: comments.count + secret.count + 1) { memory in
            unsafe memory.copyBytes(from: comments)
            unsafe secret.withUnsafeBytes { secret in
                unsafe UnsafeMutableRawBufferPointer(rebasing: memory[comments.count...]).copyMemory(from: secret)
            }
            unsafe memory[memory.count - 1] = UInt8(ascii: "\n")
        }
    }

    /// Reads a file or pipe whole, into secret memory.
    static func contents(of source: borrowing Descriptor, path: String? = nil) throws(AgeKeyError) -> SecretBytes {
        let read: SecretBytes? = try AgeKeyError.reporting { () throws(SystemError) in
            try SecretBytes.reading(source, limit: maximumSize, path: path)
        }
        guard let read else { throw .tooLarge }
        return read
    }

    /// The lines that hold keys.
    ///
    /// - Throws: `noKeys` where there is none.
    static func keyLines(of text: Span<UInt8>) throws(AgeKeyError) -> [TextLine] {
        let lines = TextLine.all(of: text).filter { text[$0.range.lowerBound] != UInt8(ascii: "#") }
        guard !lines.isEmpty else { throw .noKeys }
        return lines
    }
}
