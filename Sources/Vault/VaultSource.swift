import Glibc
import MildamFiles
import MildamSystem

/// Something to be added to a vault: a regular file, or what a descriptor gives, and what it is to be called.
public struct VaultSource: Sendable {
    /// Where it is, for errors.
    public let path: String
    /// What it will be called.
    public let name: VaultName
    private let stream: Stream?

    /// Names a file.
    public init(path: String, name: VaultName) {
        self.path = path
        self.name = name
        stream = nil
    }

    /// What a descriptor, such as a pipe, gives until it ends. It can be added once.
    ///
    /// - Parameter path: what to call it in an error.
    public init(_ stream: FileSource, path: String, name: VaultName) {
        self.path = path
        self.name = name
        self.stream = Stream(source: stream)
    }

    private struct Stream: @unchecked Sendable {  // one worker of one vault reads it, after whoever made it
        let source: FileSource
    }

    /// Opens it, if it is a regular file and no link to one, or a stream.
    ///
    /// - Returns: what to read, and how a file stood at the beginning.
    /// - Throws: `notAFile`, `io`.
    func open() throws(VaultError) -> (file: FileSource, stamp: FileStamp?) {
        if let stream { return (stream.source, stream.source.stamp) }
        let file: FileSource
        do throws(SystemError) {
            // Of a pipe, nobody waits for the other end.
            file = try FileSource(owning: try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), path: path)
        } catch {
            throw switch error.code {
            case ELOOP: .notAFile(path, .link)
            case EISDIR: .notAFile(path, .folder)
            case ENXIO: .notAFile(path, .special)
            default: .io(error)
            }
        }
        guard let stamp = file.stamp else { throw .notAFile(path, .special) }
        return (file, stamp)
    }
}
