import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamWire

/// What a password becomes before anything leaves this machine.
///
/// Argon2id(password, SHA-256(label ‖ relay id ‖ handle ‖ served salt)) → HKDF-SHA-256 under a label of its own, so that
/// what else comes from the password, like a backup key, tells the relay nothing.
struct Authenticator {
    /// Memory in KiB and passes that this client bears: at least 64 MiB and 3 passes, at most 1 GiB and 10.
    static let memory = 65_536...1_048_576
    static let passes = 3...10

    /// The authenticator, 32 bytes.
    let bytes: Data

    /// Derives it; takes a noticeable fraction of a second, by intention.
    init(password: Password, handle: Handle, parameters: LoginParameters) throws(MessengerError) {
        guard Authenticator.memory.contains(parameters.memory), Authenticator.passes.contains(parameters.passes),
            parameters.salt.count == 32
        else { throw .passwordCosts(memory: parameters.memory, passes: parameters.passes) }
        var salted = WireWriter()
        Label("login salt").encode(into: &salted)
        parameters.relay.encode(into: &salted)
        handle.encode(into: &salted)
        salted.fixed(parameters.salt)
        let salt = Array(SHA256.hash(data: salted.bytes).prefix(KDF.Argon2id.saltByteCount))
        do {
            let root = try unsafe password.withUnsafeBytes { bytes in
                Result { () throws(CryptoKitError) in
                    try unsafe KDF.Argon2id.deriveKey(
                        from: bytes,
                        salt: salt,
                        memoryKiB: parameters.memory,
                        passes: parameters.passes
                    )
                }
            }.get()
            let authenticator = HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root,
                info: Label("authenticator").wireBytes,
                outputByteCount: 32
            )
            bytes = unsafe authenticator.withUnsafeBytes { unsafe Data($0) }
        } catch {
            throw .cryptography
        }
    }
}
