import CFiles
import Glibc

/// A file without a name, to be written and read again; it ends with its owner, or with the program.
///
/// It lies in `$TMPDIR`, or in `/var/tmp`: `/tmp` may be memory, and such files may be large.
public struct TemporaryFile: ~Copyable {
    /// What to write to and to read from.
    public let descriptor: Descriptor

    /// Makes an empty file with permissions 0600.
    public init() throws(SystemError) {
        let named = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? ""
        try self.init(in: named.isEmpty ? "/var/tmp" : named, unnamed: true)
    }

    /// Makes a file in a folder; `unnamed: false` as where the file system knows no files without a name.
    package init(in folder: String, unnamed: Bool) throws(SystemError) {
        if unnamed, let file = try? Descriptor.open(folder, O_RDWR | Int32(openWithoutName)) {
            descriptor = file
        } else {
            let name = WholeFile.temporaryName(for: folder + "/mildam")
            descriptor = try Descriptor.open(name, O_RDWR | O_CREAT | O_EXCL)
            unsafe unlink(name)
        }
    }
}
