import FoundationEssentials
import MildamCrypto

/// What a person knows and a key asks for: a PIN for a TPM, a passphrase for software. Copies share one memory, which
/// is wiped when the last of them goes.
public struct EnclavePIN: Sendable, CustomStringConvertible, CustomReflectable {
    /// How many bytes it may have.
    public static let lengths = 1...1024

    private let bytes: SymmetricKey

    /// Takes the secret over.
    ///
    /// - Throws: `EnclaveError.pinLength` unless it has 1 to 1,024 bytes. Any byte may stand in it.
    public init(_ secret: consuming SecretBytes) throws(EnclaveError) {
        guard EnclavePIN.lengths.contains(secret.count) else { throw .pinLength(secret.count) }
        bytes = SymmetricKey(secret)
    }

    /// What a TPM gets in its place: 32 bytes by HKDF (RFC 5869), so that a PIN may be longer than a TPM takes, and its
    /// zeros at the end count.
    var authorization: SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: bytes,
            info: Array("Mildam enclave PIN, TPM 2.0".utf8),
            outputByteCount: 32
        )
    }

    /// Runs `body` on the bytes; the pointer is valid in it only.
    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes(body)
    }

    /// What it is, and nothing of it: not even its length.
    public var description: String { "EnclavePIN" }

    /// Empty: a dump shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
