import FoundationEssentials
import MildamCrypto
import MildamWire

/// The keys of an export under a password: PBKDF2-SHA256 or Argon2id, and HKDF-Expand with SHA-256 (Bitwarden's
/// `makePinKey` and `stretchKey`).
struct BitwardenKeys {
    let encryption: SymmetricKey
    let authentication: SymmetricKey

    /// Derives the keys; costs are looked at before anything is allocated.
    ///
    /// - Parameters:
    ///   - root: the export's outermost object, with `salt`, `kdfType`, `kdfIterations` and, of Argon2id, `kdfMemory`
    ///     (MiB) and `kdfParallelism`.
    /// - Throws: `notThisFormat`, `unsupported`, `costsTooHigh`, `cryptography`.
    init(_ password: SecretValue, _ root: JSONNode, in text: Span<UInt8>) throws(TransferError) {
        guard let salt = root["salt"]?.string(in: text), (1...1024).contains(salt.utf8.count),
            let iterations = root["kdfIterations"]?.integer(in: text)
        else { throw .notThisFormat(reason: "it does not say how its password becomes a key") }
        let key: SymmetricKey
        switch root["kdfType"]?.integer(in: text) {
        case 0: key = try Self.pbkdf2(password, salt, iterations)
        case 1:
            guard let memory = root["kdfMemory"]?.integer(in: text),
                let lanes = root["kdfParallelism"]?.integer(in: text)
            else { throw .notThisFormat(reason: "it does not say how its password becomes a key") }
            key = try Self.argon2id(password, salt, iterations, mebiBytes: memory, lanes: lanes)
        default: throw .unsupported(reason: "its password becomes a key in a way that is not known")
        }
        encryption = Self.expand(key, "enc")
        authentication = Self.expand(key, "mac")
    }

    private static func expand(_ key: SymmetricKey, _ label: String) -> SymmetricKey {
        HKDF<SHA256>.expand(pseudoRandomKey: key, info: Array(label.utf8), outputByteCount: 32)
    }

    private static func pbkdf2(
        _ password: SecretValue,
        _ salt: String,
        _ rounds: Int64
    ) throws(TransferError) -> SymmetricKey {
        guard TransferLimits.pbkdf2Rounds.contains(rounds) else {
            throw .costsTooHigh(reason: "\(rounds) rounds of PBKDF2")
        }
        do throws(CryptoKitError) {
            return try unsafe password.withUnsafeBytes { (password) throws(CryptoKitError) in
                try unsafe KDF.PBKDF2.deriveKey(
                    from: password,
                    salt: Array(salt.utf8),
                    using: .sha256,
                    outputByteCount: 32,
                    rounds: Int(rounds)
                )
            }
        } catch {
            throw .cryptography(error)
        }
    }

    private static func argon2id(
        _ password: SecretValue,
        _ salt: String,
        _ passes: Int64,
        mebiBytes: Int64,
        lanes: Int64
    ) throws(TransferError) -> SymmetricKey {
        guard TransferLimits.argon2MebiBytes.contains(mebiBytes), TransferLimits.argon2Passes.contains(passes),
            TransferLimits.argon2Lanes.contains(lanes)
        else { throw .costsTooHigh(reason: "\(mebiBytes) MiB, \(passes) passes and \(lanes) lanes of Argon2id") }
        do throws(CryptoKitError) {
            return try unsafe password.withUnsafeBytes { (password) throws(CryptoKitError) in
                try unsafe KDF.Argon2id.deriveKey(
                    from: password,
                    salt: Array(SHA256.hash(data: Array(salt.utf8))),
                    outputByteCount: 32,
                    memoryKiB: Int(mebiBytes) * 1024,
                    passes: Int(passes),
                    lanes: Int(lanes)
                )
            }
        } catch {
            throw .cryptography(error)
        }
    }
}
