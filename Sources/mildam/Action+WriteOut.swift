import Glibc
import MildamKeychain
import MildamSystem

extension Action {
    /// The bytes as they are, and a line break for a terminal.
    func writeOut(_ secret: SecretValue) throws {
        var bytes = secret.bytes
        defer { bytes.wipe() }
        if isatty(STDOUT_FILENO) == 1 { bytes.append(UInt8(ascii: "\n")) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            guard written > 0 else { throw SystemError.last("write", "standard output") }
            rest = rest.dropFirst(written)
        }
    }
}
