import MildamEnclave
import MildamKeychain
import MildamSystem

/// Which keychain the functions of this module work with, in this whole process.
///
/// Apple's functions know theirs; here the program says once, as it starts, which it is:
///
///     SecKeychain.use(try await LocalKeychain.create(at: path, secret: .passphrase(passphrase)))
///
/// Until then they all answer `errSecNotAvailable`.
public enum SecKeychain {
    /// Where keys of `kSecAttrTokenIDSecureEnclave` lie.
    struct Device: Sendable {
        let enclave: any Enclave
        let pin: @Sendable () -> EnclavePIN?
    }

    private struct State: Sendable {
        var keychain: (any Keychain)?
        var device: Device?
    }

    private static let state = Lock(State())

    /// Takes a keychain into use, instead of the one before.
    ///
    /// - Parameter keychain: `nil` for none.
    public static func use(_ keychain: (any Keychain)?) {
        state.withLock { $0 = State(keychain: keychain) }
    }

    /// Takes a keychain into use, and an enclave for keys of `kSecAttrTokenIDSecureEnclave`.
    ///
    /// - Parameter pin: the PIN, or the software enclave's passphrase; asked for whenever such a key is made or used, on
    ///   the thread of that call. With `nil`, keys are made without one, which only a TPM does.
    public static func use(
        _ keychain: any Keychain,
        enclave: any Enclave,
        pin: @escaping @Sendable () -> EnclavePIN? = { nil }
    ) {
        state.withLock { $0 = State(keychain: keychain, device: Device(enclave: enclave, pin: pin)) }
    }

    /// The keychain in use.
    static func current() throws(Refusal) -> any Keychain {
        guard let keychain = state.withLock({ $0.keychain }) else {
            throw Refusal(errSecNotAvailable, "no keychain is in use; give one to SecKeychain.use")
        }
        return keychain
    }

    /// The enclave in use.
    static func device() throws(Refusal) -> Device {
        guard let device = state.withLock({ $0.device }) else {
            throw Refusal(errSecUnimplemented, "no enclave is in use; give one to SecKeychain.use")
        }
        return device
    }
}
