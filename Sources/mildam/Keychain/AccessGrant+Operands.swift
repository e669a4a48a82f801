import Glibc
import MildamKeychain
import MildamSystem
import MildamTerminal

/// The operands that name a grant.
let grantOperands = [
    Operand("PROGRAM", help: "Its executable.", completion: .file), Operand("GROUP", help: "The access group."),
]

extension Action {
    /// The grant that the operands name.
    func grant() throws -> AccessGrant {
        let program = invocation.operand("PROGRAM")
        // The kernel knows programs by their real path; one that was removed is known by the path it had.
        let path = unsafe realpath(program, nil)
        defer { unsafe free(path) }
        let real = unsafe path.map { unsafe String(cString: $0) } ?? program
        guard real.hasPrefix("/") else { throw SystemError("find the program", program, code: ENOENT) }
        return AccessGrant(ProgramIdentity(executable: real, user: getuid()), invocation.operand("GROUP"))
    }
}
