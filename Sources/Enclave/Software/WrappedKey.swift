import FoundationEssentials
import Glibc
import MildamCrypto
import MildamSystem
import MildamWire

/// A private key, encrypted with AES-256-GCM under a key that Argon2id makes of a passphrase. What stands before it in
/// the blob, the costs and the salt are authenticated with it.
///
///     struct {
///         Argon2Costs costs;
///         opaque salt[16];
///         opaque sealed[60];                  // nonce[12] ‖ scalar[32], encrypted ‖ tag[16]
///     } WrappedKey;
struct WrappedKey: Sendable, Hashable {
    let costs: Argon2Costs
    private let salt: [UInt8]
    private let sealed: [UInt8]

    private static let sealedByteCount = 60

    /// Encrypts a scalar of 32 bytes.
    ///
    /// - Parameter head: what stands before it in the blob.
    init(
        wrapping scalar: UnsafeRawBufferPointer,
        _ head: [UInt8],
        costs: Argon2Costs,
        pin: EnclavePIN
    ) throws(EnclaveError) {
        self.costs = costs
        salt = SecureRandom.bytes(count: KDF.Argon2id.saltByteCount)
        let key = try WrappedKey.key(of: pin, costs, salt)
        do throws(CryptoKitError) {
            let box = try unsafe AES.GCM.seal(
                scalar,
                using: key,
                authenticating: WrappedKey.header(head, costs, salt)
            )
            sealed = Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw .unsupported("AES-256-GCM")
        }
    }

    /// Lends the scalar, 32 bytes, to `body`.
    ///
    /// - Throws: `wrongPIN`; what `body` throws.
    func withScalar<Result>(
        _ head: [UInt8],
        pin: EnclavePIN,
        _ body: (Data) throws(CryptoKitError) -> Result
    ) throws(EnclaveError) -> Result {
        let key = try WrappedKey.key(of: pin, costs, salt)
        var scalar = Data()
        defer { scalar.wipe() }
        do throws(CryptoKitError) {
            scalar = try AES.GCM.open(
                AES.GCM.SealedBox(combined: sealed),
                using: key,
                authenticating: WrappedKey.header(head, costs, salt)
            )
        } catch {
            throw .wrongPIN(triesLeft: nil)
        }
        do throws(CryptoKitError) { return try body(scalar) } catch { throw .damagedBlob }
    }

    private static func header(_ head: [UInt8], _ costs: Argon2Costs, _ salt: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 100)
        writer.fixed(head)
        costs.encode(into: &writer)
        writer.fixed(salt)
        return writer.bytes
    }

    private static func key(
        of pin: EnclavePIN,
        _ costs: Argon2Costs,
        _ salt: [UInt8]
    ) throws(EnclaveError) -> SymmetricKey {
        let derived = unsafe pin.withUnsafeBytes { pin in
            Result { () throws(CryptoKitError) in
                try unsafe KDF.Argon2id.deriveKey(
                    from: pin,
                    salt: salt,
                    memoryKiB: costs.memoryKiB,
                    passes: costs.passes
                )
            }
        }
        // All parameters are in range: it is the memory that is not there.
        guard case .success(let key) = derived else {
            throw .system(SystemError("fill \(costs.memoryKiB / 1024) MiB of memory", code: ENOMEM))
        }
        return key
    }
}

extension WrappedKey: WireEncodable, WireDecodable {
    func encode(into writer: inout WireWriter) {
        costs.encode(into: &writer)
        writer.fixed(salt)
        writer.fixed(sealed)
    }

    @_lifetime(reader: copy reader)
    init(from reader: inout WireReader) throws(WireError) {
        costs = try Argon2Costs(from: &reader)
        salt = try reader.fixed(KDF.Argon2id.saltByteCount)
        sealed = try reader.fixed(WrappedKey.sealedByteCount)
    }
}
