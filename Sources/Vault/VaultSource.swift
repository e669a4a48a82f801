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

    /// Files of the vault itself. Closing one of its database would give up the locks that the program has on it.
    struct Own {
        private let files: Set<FileIdentity>

        init(_ folder: String) {
            let names = Folder.names(in: folder).filter { $0 != "files" }
            files = Set(names.compactMap { FileIdentity(folder + "/" + $0) })
        }

        func contains(_ path: String) -> Bool { FileIdentity(path).map(files.contains) ?? false }
    }

    /// The size in bytes of what will be read, where it is known.
    var expectedSize: Int {
        var status = stat()
        guard stream == nil, unsafe lstat(path, &status) == 0 else { return 0 }
        return Int(status.st_size)
    }

    /// Opens it, if it is a regular file and no link to one, or a stream.
    ///
    /// - Returns: what to read, and how a file stood at the beginning.
    /// - Throws: `notAFile`, `io`.
    func open(unless own: Own) throws(VaultError) -> (file: FileSource, stamp: FileStamp?) {
        if let stream { return (stream.source, stream.source.stamp) }
        guard !own.contains(path) else { throw .notAFile(path, .own) }
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
