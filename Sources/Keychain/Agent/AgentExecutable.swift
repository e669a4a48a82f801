import MildamSystem

/// The program that an agent is, as it was when the agent began.
struct AgentExecutable: Sendable {
    /// Where it was.
    let path: String
    private let file: FileIdentity?

    /// The file at a path; this program's own unless another is named.
    init(_ path: String = ProgramIdentity.own.executable) {
        self.path = path
        file = FileIdentity(path)
    }

    /// Whether the path names another file by now, or none: the program was upgraded, moved or removed.
    var isReplaced: Bool { file == nil || FileIdentity(path) != file }

    /// Whether a program is the same: by its file, wherever that was moved, or after an upgrade by its path.
    ///
    /// - Parameter other: a program whose path still names its file.
    func isSame(as other: Executable) -> Bool { other.file == file || other.path.elementsEqual(path.utf8) }
}
