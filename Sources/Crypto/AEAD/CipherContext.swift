import CLibCrypto
import Glibc

/// An AEAD context of libcrypto: keyed once, or anew for every message.
///
/// Used by one thread at a time: a thread's own contexts, and those that a `~Copyable` sealer or opener owns.
@safe
final class CipherContext {
    static let tagSize = 16

    private let handle: OpaquePointer
    private let keySize: Int
    @exclusivity(unchecked)  // one thread at a time; the check costs a tenth of a short message
    private var nonceSize = 12

    init(_ algorithm: CipherAlgorithm) {
        guard let handle = unsafe EVP_CIPHER_CTX_new(),
            unsafe EVP_CipherInit_ex2(handle, algorithm.handle, nil, nil, 1, nil) == 1
        else { LibCrypto.unavailable("a cipher context") }
        unsafe self.handle = handle
        keySize = algorithm.keySize
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(handle)  // wipes the key schedule
    }

    /// Begins a message.
    ///
    /// - Parameter key: `nil` goes on with the key of before.
    func begin(_ key: UnsafeRawBufferPointer?, _ nonce: UnsafeRawBufferPointer, encrypting: Bool) -> Bool {
        if unsafe nonce.count != nonceSize {
            let size = Int32(clamping: nonce.count)
            guard unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_IVLEN, size, nil) == 1 else { return false }
            unsafe nonceSize = nonce.count
        }
        return unsafe EVP_CipherInit_ex2(handle, nil, key?.octets, nonce.octets, encrypting ? 1 : 0, nil) == 1
    }

    /// Encrypts from `input` to `output` (the same place, or apart) and writes the tag.
    func seal(
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        authenticating header: UnsafeRawBufferPointer,
        tag: UnsafeMutableRawPointer
    ) -> Bool {
        var none: Int32 = 0
        return unsafe update(header, to: nil) && update(input, to: output)
            && EVP_CipherFinal_ex(handle, tag.assumingMemoryBound(to: UInt8.self), &none) == 1
            && copyTag(to: tag)
    }

    /// The tag of the message that was just encrypted. `EVP_CIPHER_CTX_ctrl` makes the same call by way of more others.
    private func copyTag(to tag: UnsafeMutableRawPointer) -> Bool {
        var wanted: InlineArray<2, OSSL_PARAM> = unsafe [
            .output("tag", UnsafeMutableRawBufferPointer(start: tag, count: CipherContext.tagSize)), OSSL_PARAM(),
        ]
        var parameters = unsafe wanted.mutableSpan
        return unsafe parameters.withUnsafeMutableBufferPointer { parameters in
            unsafe EVP_CIPHER_CTX_get_params(handle, parameters.baseAddress) == 1
        }
    }

    /// Decrypts from `input` to `output` (the same place, or apart). When the tag is wrong, `output` is wiped.
    func open(
        _ input: UnsafeRawBufferPointer,
        to output: UnsafeMutableRawPointer?,
        authenticating header: UnsafeRawBufferPointer,
        tag: UnsafeRawPointer
    ) -> Bool {
        var none: Int32 = 0
        var rest: UInt8 = 0
        let tag = unsafe UnsafeMutableRawPointer(mutating: tag)  // libcrypto copies it
        let opened =
            unsafe EVP_CIPHER_CTX_ctrl(handle, EVP_CTRL_AEAD_SET_TAG, Int32(CipherContext.tagSize), tag) == 1
            && update(header, to: nil) && update(input, to: output)
            && EVP_CipherFinal_ex(handle, &rest, &none) == 1
        if !opened, let output = unsafe output { unsafe explicit_bzero(output, input.count) }
        return opened
    }

    /// Puts a key of zeros where the key was.
    func forgetKey() {
        let zeros: InlineArray<32, UInt8> = InlineArray(repeating: 0)
        let forgot = unsafe zeros.span.withUnsafeBytes { zeros in
            unsafe begin(
                UnsafeRawBufferPointer(rebasing: zeros.prefix(keySize)),
                UnsafeRawBufferPointer(rebasing: zeros.prefix(12)),
                encrypting: true
            )
        }
        guard forgot else { LibCrypto.unavailable("a cipher context without its key") }
    }

    /// Feeds the context; without `output` the bytes are authenticated only. libcrypto counts in 32 bits.
    @inline(__always)
    private func update(_ input: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer?) -> Bool {
        var rest = unsafe input
        var target = unsafe output?.assumingMemoryBound(to: UInt8.self)
        while unsafe !rest.isEmpty {
            let size = min(rest.count, 1 << 30)
            var written: Int32 = 0
            guard unsafe EVP_CipherUpdate(handle, target, &written, rest.octets, Int32(truncatingIfNeeded: size)) == 1
            else { return false }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest[size...])
            if let written = unsafe target { unsafe target = written + size }
        }
        return true
    }
}
