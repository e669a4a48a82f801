import Glibc
import MildamSystem
import MildamTerminal

extension Action {
    /// What is written to this program, up to its end; `nil` when it is longer than `limit` bytes, which is known without
    /// reading further.
    ///
    /// - Throws: `UsageError` where a secret was to come from there; `SystemError`.
    func standardInput(limit: Int) throws -> [UInt8]? {
        try claimStandardInput()
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let got = unsafe Glibc.read(STDIN_FILENO, &piece, piece.count)
            if got < 0 {
                if errno == EINTR { continue }
                throw SystemError.last("read", "standard input")
            }
            guard got > 0 else { return bytes }
            bytes += piece.prefix(got)
            guard bytes.count <= limit else { return nil }
        }
    }
}
