import MildamCrypto

/// A source of random bytes. There is one.
public final class SecRandomRef: Sendable {
    private init() {}
}

/// The one source of random bytes.
public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes; it cannot fail.
///
/// - Parameters:
///   - rnd: `kSecRandomDefault`.
///   - count: how many bytes.
///   - bytes: where so many have room.
/// - Returns: `errSecSuccess`; `errSecParam` for a negative count.
@discardableResult
public func SecRandomCopyBytes(_ rnd: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> OSStatus {
    guard count >= 0 else { return errSecParam }
    unsafe SecureRandom.fill(UnsafeMutableRawBufferPointer(start: bytes, count: count))
    return errSecSuccess
}
