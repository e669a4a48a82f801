import CLibCrypto
import FoundationEssentials

/// A key of Curve448 as libcrypto uses it, made once; freed, and its private part wiped, when the last owner goes.
@safe
final class Curve448Key: @unchecked Sendable {  // an EVP_PKEY is not changed after it was made; its count is atomic
    /// What a key is for: a key for one is no key for the other.
    enum Use {
        /// X448.
        case agreement
        /// Ed448.
        case signing

        /// libcrypto's name for it.
        var name: StaticString {
            switch self {
            case .agreement: "X448"
            case .signing: "ED448"
            }
        }

        /// The size of public and private keys in bytes.
        var size: Int {
            switch self {
            case .agreement: 56
            case .signing: 57
            }
        }
    }

    let handle: OpaquePointer
    private let use: Use

    /// A public key, of the size that its use has. Whether the bytes are a point of the curve shows when it is used.
    init(_ use: Use, publicKey: Data) {
        let handle = unsafe publicKey.withUnsafeBytes { key in
            unsafe EVP_PKEY_new_raw_public_key_ex(nil, use.name.cString, nil, key.octets, key.count)
        }
        guard let handle = unsafe handle else { LibCrypto.unavailable("a key for \(use.name)") }
        unsafe self.handle = handle
        self.use = use
    }

    /// A private key, of the size that its use has.
    init(_ use: Use, privateKey: borrowing SecretBytes) {
        let handle = unsafe privateKey.withUnsafeBytes { key in
            unsafe EVP_PKEY_new_raw_private_key_ex(nil, use.name.cString, nil, key.octets, key.count)
        }
        guard let handle = unsafe handle else { LibCrypto.unavailable("a key for \(use.name)") }
        unsafe self.handle = handle
        self.use = use
    }

    deinit {
        unsafe EVP_PKEY_free(handle)
    }

    /// The bytes of the public key, also of a private one.
    var publicBytes: Data {
        var bytes = Data(count: use.size)
        var size = use.size
        let done = unsafe bytes.withUnsafeMutableBytes { bytes in
            unsafe EVP_PKEY_get_raw_public_key(handle, bytes.octets, &size) == 1
        }
        guard done, size == use.size else { LibCrypto.unavailable("a public key of \(use.name)") }
        return bytes
    }
}
