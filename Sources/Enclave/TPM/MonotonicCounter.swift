import FoundationEssentials
import MildamCrypto
import MildamWire

/// A number in a TPM that only ever rises, for whoever has its authorization: it tells an old copy of a file from the
/// newest one.
///
/// Even after it was removed and made anew it goes on above every value that any counter of this TPM ever had (TPM 2.0
/// part 1, section 37.2.4.3). Its memory wears out: it is to be raised a few times a day, not a second.
public struct MonotonicCounter: Sendable, CustomStringConvertible, CustomReflectable {
    /// Where counters of programs may be: the owner's part of the TPM's memory (TCG registry of reserved TPM 2.0 handles,
    /// section 2.2.2).
    public static let indices: ClosedRange<UInt32> = 0x0180_0000...0x01BF_FFFF

    /// Where it is.
    public let index: UInt32
    /// The storage key's Name when it was made: no other one gets to see its authorization.
    let storageKeyName: TPMName
    let authorization: SymmetricKey

    private static let version: UInt8 = 1

    init(index: UInt32, storageKeyName: TPMName, authorization: SymmetricKey) {
        self.index = index
        self.storageKeyName = storageKeyName
        self.authorization = authorization
    }

    /// Reads what `representation` gave.
    ///
    /// - Throws: `EnclaveError.damagedBlob`.
    public init(representation: borrowing SecretBytes) throws(EnclaveError) {
        do throws(WireError) {
            var reader = WireReader(representation.span)
            guard try reader.integer(UInt8.self) == MonotonicCounter.version else {
                throw .invalidValue(field: "version")
            }
            index = try reader.integer()
            guard MonotonicCounter.indices.contains(index) else { throw .invalidValue(field: "index") }
            storageKeyName = try TPMName(bytes: try reader.fixed(TPMName.byteCount))
            var secret = try reader.fixed(32)
            authorization = SymmetricKey(data: secret)
            secret.wipe()
            try reader.finish()
        } catch {
            throw .damagedBlob
        }
    }

    /// The bytes to keep, 71 of them: where it is, and the authorization, which is secret.
    public var representation: SecretBytes {
        var writer = WireWriter(capacity: 71)
        writer.integer(MonotonicCounter.version)
        writer.integer(index)
        writer.fixed(storageKeyName.bytes)
        unsafe authorization.withUnsafeBytes { unsafe writer.fixed($0) }
        var bytes = writer.takeBytes()
        defer { bytes.wipe() }
        return SecretBytes(copying: bytes.span)
    }

    /// Where it is, and nothing of its authorization.
    public var description: String { "MonotonicCounter (0x\(String(index, radix: 16)))" }

    /// Empty: a dump shows nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
