import MildamCrypto
import MildamWire

/// The form of a blob, in TLS presentation language (RFC 8446, section 3):
///
///     struct {
///         opaque magic[4] = "MEKB";
///         uint8 version = 1;
///         enum { tpm(1), software(2) } kind;
///         enum { key_agreement(1), signing(2) } purpose;
///         uint8 has_pin;                      // 0 or 1
///         opaque public_key[65];              // SEC 1, uncompressed
///         select (kind) {
///             case tpm:      TPMProtectedKey;
///             case software: WrappedKey;
///         };
///         opaque digest[32];                  // SHA-256 of all that stands before it
///     } EnclaveKeyBlob;
///
/// The digest tells damage from a wrong PIN. It stops no attacker; what he changes, the enclave itself refuses.
extension EnclaveKeyBlob {
    /// The most bytes that a blob has.
    public static let maximumByteCount = 2048

    /// The bytes to keep; `init(bytes:)` reads them.
    public var bytes: [UInt8] {
        var writer = WireWriter(capacity: 512)
        writer.fixed(head)
        switch protection {
        case .tpm(let key): key.encode(into: &writer)
        case .software(let key): key.encode(into: &writer)
        }
        writer.fixed(SHA256.hash(data: writer.bytes))
        return writer.bytes
    }

    /// Reads what `bytes` gave.
    ///
    /// - Throws: `EnclaveError.damagedBlob` for anything else; `.unsupported` for a later version.
    public init(bytes: [UInt8]) throws(EnclaveError) {
        guard bytes.count <= EnclaveKeyBlob.maximumByteCount, bytes.count > 32 + 5,
            bytes.starts(with: EnclaveKeyBlob.magic)
        else { throw .damagedBlob }
        let content = Array(bytes.dropLast(SHA256.byteCount))
        guard constantTimeEquals(SHA256.hash(data: content), Array(bytes.suffix(SHA256.byteCount))) else {
            throw .damagedBlob
        }
        guard content[EnclaveKeyBlob.magic.count] == EnclaveKeyBlob.version else {
            throw .unsupported("a key of a later version of this program")
        }
        do throws(WireError) {
            var reader = WireReader(content.span)
            self = try EnclaveKeyBlob(reading: &reader)
            try reader.finish()
        } catch {
            throw .damagedBlob
        }
    }

    /// What stands before the private half, and is authenticated with it.
    var head: [UInt8] {
        EnclaveKeyBlob.head(kind, publicKey, hasPIN: hasPIN)
    }

    static func head(_ kind: Kind, _ publicKey: EnclavePublicKey, hasPIN: Bool) -> [UInt8] {
        var writer = WireWriter(capacity: 73)
        writer.fixed(magic)
        writer.integer(version)
        writer.integer(UInt8(kind == .tpm ? 1 : 2))
        writer.integer(UInt8(publicKey.purpose == .keyAgreement ? 1 : 2))
        writer.integer(UInt8(hasPIN ? 1 : 0))
        writer.fixed(publicKey.x963Representation)
        return writer.bytes
    }

    private static let magic = Array("MEKB".utf8)
    private static let version: UInt8 = 1

    @_lifetime(reader: copy reader)
    private init(reading reader: inout WireReader) throws(WireError) {
        _ = try reader.fixed(EnclaveKeyBlob.magic.count + 1)
        let kind = try reader.integer(UInt8.self)
        let purpose: EnclaveKeyPurpose
        switch try reader.integer(UInt8.self) {
        case 1: purpose = .keyAgreement
        case 2: purpose = .signing
        default: throw .invalidValue(field: "purpose")
        }
        switch try reader.integer(UInt8.self) {
        case 0: hasPIN = false
        case 1: hasPIN = true
        default: throw .invalidValue(field: "has_pin")
        }
        let point = try reader.fixed(65)
        // libcrypto reads a hybrid form as well: a blob has one form.
        guard point[0] == 4 else { throw .invalidValue(field: "public_key") }
        do throws(CryptoKitError) {
            publicKey = try EnclavePublicKey(purpose, x963Representation: point)
        } catch {
            throw .invalidValue(field: "public_key")
        }
        switch kind {
        case 1: protection = .tpm(try TPMProtectedKey(from: &reader))
        case 2:
            // There are no software keys that anybody could open.
            guard hasPIN else { throw .invalidValue(field: "has_pin") }
            protection = .software(try WrappedKey(from: &reader))
        default: throw .invalidValue(field: "kind")
        }
    }
}
