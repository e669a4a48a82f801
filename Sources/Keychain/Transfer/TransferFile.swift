import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem

/// Files of secrets, read into secret memory.
public enum TransferFile {
    /// A whole file, be it a pipe.
    ///
    /// - Throws: `tooLarge`, `io`.
    public static func read(
        _ path: String,
        limit: Int = TransferLimits.fileSize
    ) throws(TransferError) -> SecretBytes {
        let content: SecretBytes? = try TransferError.ofSystem { () throws(SystemError) in
            let file = try Descriptor.open(path, O_RDONLY)
            return try SecretBytes.reading(file, limit: limit, path: path)
        }
        guard let content else { throw .tooLarge(limit: limit) }
        return content
    }
}

extension Span<UInt8> {
    /// The text, in memory that nothing wipes; `nil` when it is not UTF-8.
    var text: String? { unsafe withUnsafeBytes { unsafe String(validating: $0, as: UTF8.self) } }

    /// Whether it is UTF-8.
    package var isUTF8: Bool { (try? UTF8Span(validating: self)) != nil }

    /// How many bytes a byte order mark takes at the beginning.
    var byteOrderMarkSize: Int { count >= 3 && self[0] == 0xef && self[1] == 0xbb && self[2] == 0xbf ? 3 : 0 }
}
