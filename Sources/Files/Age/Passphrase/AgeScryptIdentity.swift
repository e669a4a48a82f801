import MildamCrypto
import MildamWire

/// A passphrase that opens files (C2SP age, "The scrypt recipient type").
///
/// The file says how much work opening it takes: 2^factor KiB of memory, and a second or so at 18. A limit keeps a
/// stranger's file from taking more than the reader wants to give.
public struct AgeScryptIdentity: AgeIdentity, CustomStringConvertible, CustomReflectable {
    /// The highest work factor that is accepted unless another is named: 22, as age has it. It takes 4 GiB of memory.
    public static let defaultMaximumWorkFactor = 22

    private let passphrase: SymmetricKey
    private let maximumWorkFactor: Int

    /// The identity of a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: one byte or more, as they were typed.
    ///   - maximumWorkFactor: the highest work factor to accept, 1 to 30; any other is a programmer's error.
    /// - Throws: `emptyPassphrase`.
    public init(
        passphrase: consuming SecretBytes,
        maximumWorkFactor: Int = AgeScryptIdentity.defaultMaximumWorkFactor
    ) throws(AgeError) {
        precondition(AgeScrypt.workFactors.contains(maximumWorkFactor), "a work factor is from 1 to 30")
        guard passphrase.count > 0 else { throw .emptyPassphrase }
        self.passphrase = SymmetricKey(passphrase)
        self.maximumWorkFactor = maximumWorkFactor
    }

    /// What it is, and nothing of the passphrase, not even its length.
    public var description: String { "AgeScryptIdentity" }

    /// Empty: a dump shows nothing of the passphrase.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Unwraps the file key, if the header is one for a passphrase.
    ///
    /// - Throws: `malformedHeader` with `invalidScrypt` for a stanza that no scrypt recipient writes;
    ///   `workFactorTooHigh`, before any memory is taken; `cryptography` when the machine has not the memory.
    public func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        // A scrypt stanza stands alone: no other header is read.
        guard let stanza = header.stanzas.first, stanza.arguments.first == AgeScrypt.type else { return nil }
        guard stanza.arguments.count == 3, stanza.body.count == AgeFileKey.wrappedSize,
            let salt = try? Base64.unpadded.decode(stanza.arguments[1]), salt.count == AgeScrypt.saltSize,
            let workFactor = AgeScryptIdentity.workFactor(stanza.arguments[2])
        else { throw .malformedHeader(line: 2, .invalidScrypt) }
        guard workFactor <= maximumWorkFactor else {
            throw .workFactorTooHigh(workFactor, limit: maximumWorkFactor)
        }
        do {
            let key = try AgeScrypt.wrappingKey(passphrase, salt: salt, workFactor: workFactor)
            return try? AgeFileKey(unwrapping: stanza.body, with: key)
        } catch {
            throw .cryptography(error)
        }
    }

    /// The number that a text of digits is, without a leading zero; `nil` where it is no such text.
    private static func workFactor(_ text: String) -> Int? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), !text.hasPrefix("0")
        else { return nil }
        return Int(text)
    }
}
