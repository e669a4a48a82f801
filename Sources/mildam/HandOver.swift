import Glibc
import MildamSystem
import MildamTerminal

/// Becomes another of our programs: the one beside this program's file, otherwise the one on PATH.
func handOver(to program: String, _ arguments: [String]) -> Never {
    if let path = SiblingProgram.path(of: program) {
        var list = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        unsafe execv(path, &list)
    }
    Console().complain("mildam: \(program) is neither beside this program nor on PATH")
    exit(ExitStatus.failed.rawValue)
}
