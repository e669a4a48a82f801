import CLibCrypto
import FoundationEssentials
import Glibc

/// Random bytes for keys, from libcrypto's private generator (`RAND_priv_bytes`), which is seeded by the kernel,
/// kept per thread, and reseeded in a forked child.
///
/// A generator that cannot be seeded ends the program: there is nothing safe to go on with.
public struct SecureRandom: RandomNumberGenerator, Sendable {
    /// A generator; all of them draw from the same source.
    public init() {}

    /// Eight random bytes as a number.
    public mutating func next() -> UInt64 {
        var value: UInt64 = 0
        unsafe withUnsafeMutableBytes(of: &value) { unsafe SecureRandom.fill($0) }
        return value
    }

    /// Fills the whole buffer.
    public static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
        var rest = unsafe buffer[...]
        while unsafe !rest.isEmpty {
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: rest.prefix(1 << 30))
            guard unsafe RAND_priv_bytes(piece.octets, Int32(piece.count)) == 1 else {
                LibCrypto.unavailable("random bytes")
            }
            unsafe rest = rest.dropFirst(piece.count)
        }
    }

    /// Fills the whole span.
    public static func fill(_ span: inout MutableSpan<UInt8>) {
        unsafe span.withUnsafeMutableBytes { unsafe fill($0) }
    }

    /// `count` random bytes.
    public static func bytes(count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            unsafe fill(UnsafeMutableRawBufferPointer(start: buffer.baseAddress, count: count))
            filled = count
        }
    }

    /// `count` random bytes.
    public static func data(count: Int) -> Data {
        var data = Data(count: count)
        unsafe data.withUnsafeMutableBytes { unsafe fill($0) }
        return data
    }

    /// Fills the buffer, of at most 256 bytes, with bytes that will be seen, such as a nonce.
    ///
    /// They come from the kernel (`getentropy(3)`): what an observer learns from them says nothing of libcrypto's
    /// generator, and for 12 bytes the call takes a third of the generator's time.
    static func fillPublic(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let start = buffer.baseAddress else { return }
        guard unsafe getentropy(start, buffer.count) == 0 else {
            fatalError("the kernel cannot give random bytes: error \(errno)")
        }
    }
}
