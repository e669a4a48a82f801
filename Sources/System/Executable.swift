/// The program that a process runs: its file.
public struct Executable: Hashable, Sendable {
    /// The file, whatever it is called.
    public let file: FileIdentity
    /// What it is called: an absolute path, as bytes that need not be text.
    ///
    /// Bytes also because two strings are equal in Swift when they look alike, and as paths name two files.
    public let path: [UInt8]
    /// What the path is worth.
    public let standing: Standing

    /// Whether a path still names the file that runs.
    public enum Standing: Sendable {
        /// It does.
        case named
        /// It does not: the file was deleted or replaced, as by an upgrade, or never had a name.
        case deleted
        /// It names another file or none as seen from this process: the other one sees other file systems, where its path
        /// may lead to whatever it likes.
        case elsewhere
    }

    /// The path to be shown: what is no text in it is replaced by U+FFFD.
    public var shownPath: String { String(decoding: path, as: UTF8.self) }
}
