import CLibCrypto
import Glibc

/// `malloc`, `realloc` and `free` as libcrypto wants them (OPENSSL_malloc(3)), where nothing is freed before it is wiped.
///
/// libcrypto by itself leaves secrets in what it frees: the scalar of a key agreement on P-256 and P-521
/// (`ecp_nistz256.c`, `ecp_nistp521.c` of OpenSSL 3.0). It takes other functions only as long as it has no memory, so it
/// is given these before `main`; from then on they serve all of the process that uses libcrypto.
private enum WipedMemory {
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        unsafe count > 0 ? malloc(count) : nil
    }

    static func free(_ start: UnsafeMutableRawPointer?) {
        guard let start = unsafe start else { return }
        unsafe explicit_bzero(start, malloc_usable_size(start))
        unsafe Glibc.free(start)
    }

    static func resize(_ start: UnsafeMutableRawPointer?, to count: Int) -> UnsafeMutableRawPointer? {
        guard let start = unsafe start else { return unsafe allocate(count) }
        if count == 0 {
            unsafe free(start)
            return nil
        }
        let size = unsafe malloc_usable_size(start)
        if count > 0, count <= size { return unsafe start }
        guard let larger = unsafe allocate(count) else { return nil }
        unsafe larger.copyMemory(from: start, byteCount: size)
        unsafe free(start)
        return unsafe larger
    }
}

/// What the loader calls before `main`. libcrypto refuses if a library has had it allocate already; none here does.
@section(".init_array") @used
private let givesWipedMemory: @convention(c) () -> Void = {
    unsafe CRYPTO_set_mem_functions(
        { count, _, _ in unsafe WipedMemory.allocate(count) },
        { start, count, _, _ in unsafe WipedMemory.resize(start, to: count) },
        { start, _, _ in unsafe WipedMemory.free(start) }
    )
}
