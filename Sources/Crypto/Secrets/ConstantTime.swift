import CLibCrypto
import FoundationEssentials

/// Whether two byte strings are equal, in a time that depends on their lengths only.
///
/// The one comparison of secrets in this package. Lengths are not secret: different lengths answer at once.
@inlinable
public func constantTimeEquals(_ left: some ContiguousBytes, _ right: some ContiguousBytes) -> Bool {
    unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe constantTimeEquals(left, right)
        }
    }
}

/// Whether two byte strings are equal, in a time that depends on their lengths only.
public func constantTimeEquals(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    unsafe left.withUnsafeBytes { left in
        unsafe right.withUnsafeBytes { right in
            unsafe constantTimeEquals(left, right)
        }
    }
}

/// The comparison itself, on raw memory (`CRYPTO_memcmp`).
@usableFromInline
func constantTimeEquals(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
    guard left.count == right.count else { return false }
    guard let start = left.baseAddress, let other = right.baseAddress else { return true }
    return unsafe CRYPTO_memcmp(start, other, left.count) == 0
}
