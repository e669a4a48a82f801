import Glibc
import MildamSystem

/// A password from a file or a stream, for where nobody can be asked.
public enum PasswordFile {
    /// Lends the first line of a file, without its newline. "-" is standard input.
    ///
    /// Only that line is taken from a stream; what follows is left for whoever reads on. The bytes are overwritten
    /// after `body` has had them.
    ///
    /// - Throws: `PromptError.tooLong` above `Prompt.longestSecret` bytes; `.ended` for an empty file.
    public static func read<Result: ~Copyable>(
        _ path: String,
        _ body: (Span<UInt8>) -> Result
    ) throws(PromptError) -> Result {
        if path == "-" { return try read(descriptor: STDIN_FILENO, named: "standard input", body) }
        let file: Descriptor
        do { file = try Descriptor.open(path, O_RDONLY | O_NOCTTY) } catch { throw .system(error) }
        return try read(descriptor: file.number, named: path, body)
    }

    /// Lends the next line of an open descriptor, as `read(_:_:)` does. The descriptor stays open.
    ///
    /// - Parameter name: what to call it in an error.
    public static func read<Result: ~Copyable>(
        descriptor: Int32,
        named name: String,
        _ body: (Span<UInt8>) -> Result
    ) throws(PromptError) -> Result {
        var secret = WipedBuffer(capacity: Prompt.longestSecret + 1)
        while !secret.endsLine {
            guard secret.room > 0 else { throw .tooLong }
            // Byte by byte: a pipe cannot take back what was read beyond the line.
            let got = secret.read(from: descriptor, limit: 1)
            if got < 0 {
                if errno == EINTR { continue }
                throw .system(.last("read", name))
            }
            if got == 0 { break }
        }
        if secret.endsLine {
            secret.dropLast()
        } else if secret.count == 0 {
            throw .ended
        } else if secret.room == 0 {
            throw .tooLong
        }
        return secret.withBytes(body)
    }
}
