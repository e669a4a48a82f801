import CLibCrypto
import Foundation
import TestSupport
import Testing

@testable import MildamCrypto

/// The memory that libcrypto is given. Left to itself, it frees the scalar of a key agreement on P-256 or P-521 as it is.
@Suite("libcrypto's memory", .serialized)
struct WipedMemoryTests {
    @Test(
        .disabled(if: Sanitizer.isOn, "a sanitizer keeps freed memory"),
        arguments: [40, 72, 1000, 20_000],
        [false, true]
    )
    func whatIsFreedIsWiped(count: Int, growsFirst: Bool) throws {
        let start = try unsafe allocate(count)
        let masked = unsafe UnsafeRawBufferPointer(start: start, count: count).map { $0 ^ 0xff }
        let address = UInt(bitPattern: start)
        if growsFirst {
            let larger = try unsafe #require(CRYPTO_realloc(start, 2 * count, "", 0))
            let kept = unsafe UnsafeRawBufferPointer(start: larger, count: count).map { $0 ^ 0xff }
            #expect(kept == masked)
            unsafe CRYPTO_free(larger, "", 0)
        } else {
            unsafe CRYPTO_free(start, "", 0)
        }
        #expect(try ProcessMemory.firstLeft(of: masked, at: address) == nil)
    }

    /// As libcrypto's own functions do it.
    @Test func itComesAndGoesAsUsual() throws {
        #expect(unsafe CRYPTO_malloc(0, "", 0) == nil)
        unsafe CRYPTO_free(nil, "", 0)
        let first = try unsafe #require(CRYPTO_realloc(nil, 64, "", 0))
        #expect(unsafe CRYPTO_realloc(first, 0, "", 0) == nil)

        let start = try unsafe allocate(64)
        let masked = unsafe UnsafeRawBufferPointer(start: start, count: 64).map { $0 ^ 0xff }
        #expect(unsafe CRYPTO_realloc(start, -1, "", 0) == nil, "more than there is; the old memory stays")
        let smaller = try unsafe #require(CRYPTO_realloc(start, 32, "", 0))
        let kept = unsafe UnsafeRawBufferPointer(start: smaller, count: 32).map { $0 ^ 0xff }
        #expect(kept == Array(masked[..<32]))
        unsafe CRYPTO_free(smaller, "", 0)
    }

    /// Random bytes in memory from libcrypto.
    private func allocate(_ count: Int) throws -> UnsafeMutableRawPointer {
        let start = try unsafe #require(CRYPTO_malloc(count, "", 0))
        unsafe SecureRandom.fill(UnsafeMutableRawBufferPointer(start: start, count: count))
        return unsafe start
    }
}
