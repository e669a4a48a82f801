import CLibCrypto

extension LibCrypto {
    /// Writes what both keys agree on, which fills `secret`; whether that was done.
    ///
    /// libcrypto does not check the other key once more: what can be checked was, when it was made.
    static func agree(_ own: OpaquePointer, _ other: OpaquePointer, into secret: UnsafeMutableRawBufferPointer) -> Bool
    {
        guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(nil, own, nil) else {
            unavailable("a context for a key agreement")
        }
        defer {
            unsafe EVP_PKEY_CTX_free(context)
            SecretMemory.wipeStack()  // multiplying on P-521 may leave the key there
        }
        var size = secret.count
        return unsafe EVP_PKEY_derive_init(context) == 1 && EVP_PKEY_derive_set_peer_ex(context, other, 0) == 1
            && EVP_PKEY_derive(context, secret.octets, &size) == 1 && size == secret.count
    }
}
