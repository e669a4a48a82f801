import CLibCrypto

/// A context of libcrypto that encrypts or decrypts whole blocks where they lie, and pads nothing.
///
/// libcrypto's own padding keeps a block back, and so cannot work in place.
@safe
final class BlockCipherContext {
    private let handle: OpaquePointer

    /// Begins a message; the IV is 16 bytes, or none in ECB.
    init(_ algorithm: BlockCipherAlgorithm, _ key: SymmetricKey, iv: [UInt8], encrypting: Bool) {
        let handle = unsafe EVP_CIPHER_CTX_new()
        let begun = unsafe key.withUnsafeBytes { key in
            unsafe EVP_CipherInit_ex2(handle, algorithm.handle, key.octets, iv, encrypting ? 1 : 0, nil) == 1
                && EVP_CIPHER_CTX_set_padding(handle, 0) == 1
        }
        guard let handle = unsafe handle, begun else { LibCrypto.unavailable("AES") }
        unsafe self.handle = handle
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)  // wipes the key schedule
    }

    /// Goes on with whole blocks. libcrypto counts in 32 bits.
    func update(_ blocks: UnsafeMutableRawBufferPointer) {
        precondition(blocks.count.isMultiple(of: Insecure.AES.blockByteCount), "whole blocks only")
        var rest = unsafe blocks
        while unsafe !rest.isEmpty {
            let size = min(rest.count, 1 << 30)
            var written: Int32 = 0
            guard
                unsafe EVP_CipherUpdate(handle, rest.octets, &written, rest.octets, Int32(truncatingIfNeeded: size))
                    == 1,
                written == size
            else { LibCrypto.unavailable("AES") }
            unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[size...])
        }
    }
}
