import CTSS2
import Glibc
import MildamCrypto

/// A structure of C's that holds a secret, in memory that is wiped when its owner goes.
struct SecretStructure<Structure>: ~Copyable {
    private let bytes: SecretBytes

    /// Makes one of zeros, which `body` fills.
    init(_ type: Structure.Type, filling body: (UnsafeMutablePointer<Structure>) -> Void) {
        bytes = unsafe SecretBytes(count: MemoryLayout<Structure>.size) { memory in
            // Slots of secret memory begin at multiples of 64 bytes, and the structures are plain numbers.
            if let start = memory.baseAddress { unsafe body(start.assumingMemoryBound(to: Structure.self)) }
        }
    }

    /// Runs `body` on the structure; the pointer is valid in it only.
    borrowing func withPointer<Result>(_ body: (UnsafePointer<Structure>?) -> Result) -> Result {
        unsafe bytes.withUnsafeBytes { unsafe body($0.baseAddress?.assumingMemoryBound(to: Structure.self)) }
    }
}

extension TPM2B_DIGEST {
    /// Takes an authorization of 32 bytes.
    ///
    /// A TPM leaves out zeros at its end (TPM 2.0 part 1, section 19.6.4.3). It is only ever the end of an HMAC's key, to
    /// which they make no difference (RFC 2104, section 2).
    mutating func assign(_ authorization: SymmetricKey) {
        unsafe authorization.withUnsafeBytes { unsafe self = TPM2B_DIGEST($0) }
    }
}
