import Glibc

/// Which program asks: its executable and its user. On Linux this stops accidents, and not an attacker of the same user,
/// who can put code into another of the user's programs.
public struct ProgramIdentity: Hashable, Sendable {
    /// The executable's path, with links resolved. An interpreter is known as the interpreter, whatever it runs.
    public let executable: String
    /// The user's number.
    public let user: UInt32

    /// Names a program.
    public init(executable: String, user: UInt32) {
        self.executable = executable
        self.user = user
    }

    /// This program.
    public static let own = ProgramIdentity(
        executable: unsafe realpath("/proc/self/exe", nil).map { path in
            defer { unsafe free(path) }
            return unsafe String(cString: path)
        } ?? "",
        user: getuid()
    )

    /// The group that the program has to itself, as every app of Apple's systems has one.
    public var ownGroup: String { "program:" + executable }
}
