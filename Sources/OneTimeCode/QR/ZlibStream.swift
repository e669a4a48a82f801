import CZlib
import Glibc
import MildamCrypto

/// zlib's format (RFC 1950) for secrets: the memory that zlib works in, which holds what it compresses, is wiped.
///
/// `compress2` would free its window as it is; a stream takes its memory from whoever sets it up.
enum ZlibStream {
    /// The bytes compressed, at zlib's default level.
    static func compressed(_ bytes: Span<UInt8>) -> SecretBytes {
        var stream = unsafe z_stream()
        unsafe stream.zalloc = { _, count, size in unsafe WipedBlock.allocate(Int(count) * Int(size)) }
        unsafe stream.zfree = { _, start in unsafe WipedBlock.free(start) }
        var status = unsafe deflateInit_(
            &stream,
            Z_DEFAULT_COMPRESSION,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { fatalError("zlib does not start: error \(status)") }
        defer { unsafe deflateEnd(&stream) }
        let bound = unsafe Int(deflateBound(&stream, uLong(bytes.count)))
        let output = unsafe SecretBytes(count: bound) { target in
            unsafe bytes.withUnsafeBytes { source in
                // zlib reads what is behind this pointer, though it does not say so.
                unsafe stream.next_in = UnsafeMutablePointer(
                    mutating: source.assumingMemoryBound(to: UInt8.self).baseAddress
                )
                unsafe stream.avail_in = uInt(source.count)
                unsafe stream.next_out = target.assumingMemoryBound(to: UInt8.self).baseAddress
                unsafe stream.avail_out = uInt(target.count)
                status = unsafe deflate(&stream, Z_FINISH)
            }
        }
        precondition(status == Z_STREAM_END, "zlib has room for its own bound")
        return unsafe SecretBytes(copying: output.span.extracting(first: Int(stream.total_out)))
    }
}

/// Memory from the heap that is wiped before it is given back; its size stands before it.
private enum WipedBlock {
    /// Room for the size that leaves what follows aligned for anything.
    private static let header = 16

    /// Memory of `count` bytes; `nil` when there is none left.
    static func allocate(_ count: Int) -> UnsafeMutableRawPointer? {
        guard let block = unsafe malloc(header + count) else { return nil }
        unsafe block.storeBytes(of: header + count, as: Int.self)
        return unsafe block + header
    }

    /// Takes back what `allocate` gave.
    static func free(_ start: UnsafeMutableRawPointer?) {
        guard let start = unsafe start else { return }
        let block = unsafe start - header
        unsafe explicit_bzero(block, block.load(as: Int.self))
        unsafe Glibc.free(block)
    }
}
