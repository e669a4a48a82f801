import CLibCrypto
import FoundationEssentials
import Glibc

/// What every call into libcrypto shares.
enum LibCrypto {
    /// Ends the program: libcrypto lacks something that it has in every supported build, or has no memory left.
    ///
    /// No input leads here. A hash or a key that silently is not one would be worse than a stop, and CryptoKit's
    /// `hash(data:)` has no way to throw.
    static func unavailable(_ what: String) -> Never {
        let code = ERR_peek_last_error()
        let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "no reason given"
        fatalError("libcrypto cannot give \(what): \(reason)")
    }

    /// The last error of this thread as a `CryptoKitError`; the thread's error queue is empty afterwards.
    static func lastError() -> CryptoKitError {
        let code = ERR_peek_last_error()
        ERR_clear_error()
        return .underlyingCoreCryptoError(error: Int32(truncatingIfNeeded: code))
    }

    /// The algorithm of this name, from the default provider.
    static func fetch(_ name: StaticString, by fetch: (UnsafePointer<CChar>) -> OpaquePointer?) -> OpaquePointer {
        guard let algorithm = unsafe fetch(name.cString) else { unavailable("\(name)") }
        return unsafe algorithm
    }
}

extension StaticString {
    /// The text as C's, valid for ever: libcrypto's parameters keep the pointers that they are made from.
    var cString: UnsafePointer<CChar> {
        unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
    }
}

extension UnsafeRawBufferPointer {
    /// The start as C's `const unsigned char *`; libcrypto takes null for no bytes.
    var octets: UnsafePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension UnsafeMutableRawBufferPointer {
    /// The start as C's `unsigned char *`.
    var octets: UnsafeMutablePointer<UInt8>? { unsafe baseAddress?.assumingMemoryBound(to: UInt8.self) }
}

extension Data {
    /// Makes `count` bytes without clearing them first; `body` fills them all.
    ///
    /// When `body` fails the bytes are wiped and freed, and none is released.
    static func filled(
        _ count: Int,
        by body: (UnsafeMutableRawBufferPointer) -> CryptoKitError?
    ) throws(CryptoKitError) -> Data {
        guard count > 0 else {
            if let error = unsafe body(UnsafeMutableRawBufferPointer(start: nil, count: 0)) { throw error }
            return Data()
        }
        guard let start = unsafe malloc(count) else { LibCrypto.unavailable("\(count) bytes of memory") }
        if let error = unsafe body(UnsafeMutableRawBufferPointer(start: start, count: count)) {
            unsafe explicit_bzero(start, count)
            unsafe free(start)
            throw error
        }
        return unsafe Data(bytesNoCopy: start, count: count, deallocator: .free)
    }
}
