import CLibCrypto
import Glibc

/// Gives libcrypto functions for its memory that wipe whatever is freed, before it has any: it takes them only then.
///
/// By itself it leaves secrets in what it frees: the scalar of a key agreement on P-256 and P-521 (`ecp_nistz256.c`,
/// `ecp_nistp521.c`, OpenSSL 3.0). A library that makes it allocate before this program's own code runs would be in the way.
@section(".init_array") @used
private let givesWipedMemory: @convention(c) () -> Void = {
    unsafe CRYPTO_set_mem_functions(
        { count, _, _ in unsafe WipedMemory.allocate(count) },
        { start, count, _, _ in unsafe WipedMemory.resize(start, to: count) },
        { start, _, _ in unsafe WipedMemory.free(start) }
    )
}

/// `malloc`, `realloc` and `free` as libcrypto wants them, where nothing is freed before it is wiped.
private enum WipedMemory {
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer? { unsafe count > 0 ? malloc(count) : nil }

    static func free(_ start: UnsafeMutableRawPointer?) {
        guard let start = unsafe start else { return }
        unsafe explicit_bzero(start, malloc_usable_size(start))
        unsafe Glibc.free(start)
    }

    static func resize(_ start: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe start else { return unsafe allocate(count) }
        guard count > 0 else {
            unsafe free(start)
            return nil
        }
        let size = unsafe malloc_usable_size(start)
        if size >= count { return unsafe start }
        guard let larger = unsafe malloc(count) else { return nil }
        unsafe larger.copyMemory(from: start, byteCount: size)
        unsafe free(start)
        return unsafe larger
    }
}
