import Glibc

/// Which file it is, whatever it is called.
public struct FileIdentity: Hashable, Sendable {
    /// The file system's number (`st_dev`); it may be another when the machine is started again.
    public let device: UInt64
    /// The file's number in it (`st_ino`); another file may get it when this one is deleted.
    public let number: UInt64

    /// What a path names, a link itself; `nil` where nothing is.
    public init?(_ path: String) {
        self.init(path: Array(path.utf8))
    }

    /// The same, for a path as the system has it, which need not be text.
    init?(path: [UInt8]) {
        var status = stat()
        let name = path.map { CChar(bitPattern: $0) } + [0]
        guard unsafe lstat(name, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// One that another process has told of.
    package init(device: UInt64, number: UInt64) {
        self.device = device
        self.number = number
    }
}

extension Descriptor {
    /// Which file it is.
    ///
    /// - Throws: `SystemError` as `fstat(2)` gives it.
    borrowing func identity(path: String? = nil) throws(SystemError) -> FileIdentity {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .last("look at", path) }
        return FileIdentity(status)
    }
}
