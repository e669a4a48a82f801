import Glibc
import MildamFiles
import MildamSystem

/// Something to be added to a vault: a regular file, or what a descriptor gives, and what it is to be called.
public struct VaultSource: Sendable {
    /// Where it is, for errors.
    public let path: String
    /// What it will be called.
    public let name: VaultName
    /// The size in bytes as far as it is known, for the progress.
    let size: Int?
    private let opening: (@Sendable () throws(VaultError) -> Content)?

    /// What is read of a source.
    struct Content {
        let file: FileSource
        /// How a file stood at the beginning; `nil` for what is none.
        var stamp: FileStamp?
        /// Says, when all of it was read, whether that was all.
        let finish: () throws(VaultError) -> Void

        init(file: FileSource, finish: @escaping () throws(VaultError) -> Void = {}) {
            self.file = file
            stamp = file.stamp
            self.finish = finish
        }
    }

    /// Names a file.
    ///
    /// - Parameter size: its size in bytes as far as it is known, so that progress can tell how much is left.
    public init(path: String, name: VaultName, size: Int? = nil) {
        self.path = path
        self.name = name
        self.size = size
        opening = nil
    }

    /// Content that is there when it is asked for.
    init(
        path: String,
        name: VaultName,
        size: Int? = nil,
        opening: @escaping @Sendable () throws(VaultError) -> Content
    ) {
        self.path = path
        self.name = name
        self.size = size
        self.opening = opening
    }

    /// What a descriptor, such as a pipe, gives until it ends. It can be added once.
    ///
    /// - Parameter path: what to call it in an error.
    public init(_ stream: FileSource, path: String, name: VaultName) {
        nonisolated(unsafe) let stream = stream  // one worker reads it, after whoever made it
        self.init(path: path, name: name) { () throws(VaultError) in unsafe Content(file: stream) }
    }

    /// How the file stands; `nil` for what is no regular file, or cannot be looked at, and for content of another kind.
    func stamp() -> FileStamp? {
        var status = stat()
        guard opening == nil, unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStamp(status)
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

    /// Opens it, if it is a regular file and no link to one, or content of another kind.
    ///
    /// - Throws: `notAFile`, `io`.
    func open(unless own: Own) throws(VaultError) -> Content {
        if let opening { return try opening() }
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
        guard file.stamp != nil else { throw .notAFile(path, .special) }
        return Content(file: file)
    }
}
