import MildamCrypto
import MildamWire

/// Whoever knows a passphrase (C2SP age, "The scrypt recipient type"). A file for a passphrase is for nobody else.
///
/// Turning the passphrase into a key takes 2^`workFactor` KiB of memory, while the file is written and whenever it is
/// opened: with the default 256 MiB, and about a second.
public struct AgeScryptRecipient: AgeRecipient, CustomStringConvertible, CustomReflectable {
    /// The work factor that files are written with: 18, as age has it.
    public static let defaultWorkFactor = 18

    private let passphrase: SymmetricKey
    private let workFactor: Int

    /// The recipient of a passphrase.
    ///
    /// - Parameters:
    ///   - passphrase: one byte or more, as they were typed: what looks the same and is written otherwise does not
    ///     open the file.
    ///   - workFactor: the exponent of scrypt's cost, 1 to 30; any other is a programmer's error. Readers have limits:
    ///     age, and this library unless told otherwise, opens up to 22.
    /// - Throws: `emptyPassphrase`.
    public init(
        passphrase: consuming SecretBytes,
        workFactor: Int = AgeScryptRecipient.defaultWorkFactor
    ) throws(AgeError) {
        precondition(AgeScrypt.workFactors.contains(workFactor), "a work factor is from 1 to 30")
        guard passphrase.count > 0 else { throw .emptyPassphrase }
        self.passphrase = SymmetricKey(passphrase)
        self.workFactor = workFactor
    }

    /// Yes: what a passphrase opens was written by somebody who knows it, and another recipient could forge that.
    public var standsAlone: Bool { true }

    /// Its work factor, and nothing of the passphrase, not even its length.
    public var description: String { "AgeScryptRecipient of work factor \(workFactor)" }

    /// Empty: a dump shows nothing of the passphrase.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Wraps a file key under the passphrase, with a salt of its own.
    ///
    /// - Throws: `cryptography` when the machine has not the memory.
    public func wrap(_ fileKey: AgeFileKey) throws(AgeError) -> [AgeStanza] {
        let salt = SecureRandom.bytes(count: AgeScrypt.saltSize)
        do {
            let key = try AgeScrypt.wrappingKey(passphrase, salt: salt, workFactor: workFactor)
            return [
                AgeStanza(
                    arguments: [AgeScrypt.type, Base64.unpadded.encode(salt), "\(workFactor)"],
                    body: try fileKey.wrapped(with: key)
                )
            ]
        } catch {
            throw .cryptography(error)
        }
    }
}
