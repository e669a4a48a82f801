import Glibc
import MildamCrypto
import MildamSystem

extension SecretBytes {
    /// Reads what a descriptor gives until it ends, be it a file or a pipe, into secret memory and nowhere else.
    ///
    /// - Returns: `nil` for more than `limit` bytes.
    package static func reading(
        _ source: borrowing Descriptor,
        limit: Int,
        path: String? = nil
    ) throws(SystemError) -> SecretBytes? {
        var bytes = unsafe SecretBytes(count: min(4096, limit + 1)) { _ in }
        var end = 0
        while end <= limit {
            let got = unsafe bytes.withUnsafeMutableBytes { memory in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[end...])
                return unsafe Glibc.read(source.number, rest.baseAddress, rest.count)
            }
            if got < 0 {
                if errno == EINTR { continue }
                throw .last("read", path)
            }
            if got == 0 { return SecretBytes(copying: bytes.span.extracting(..<end)) }
            end += got
            if end == bytes.count, end <= limit {
                let larger = unsafe SecretBytes(count: min(2 * end, limit + 1)) { target in
                    unsafe bytes.withUnsafeBytes { unsafe target.copyMemory(from: $0) }
                }
                bytes = larger
            }
        }
        return nil
    }
}
