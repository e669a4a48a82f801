import Glibc
import MildamTerminal

/// Becomes another of our programs: the one beside this program's file, otherwise the one on PATH.
func handOver(to program: String, _ arguments: [String]) -> Never {
    var own = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &own, own.count - 1)
    let folder = own.prefix(max(count, 0)).split(separator: CChar(UInt8(ascii: "/")), omittingEmptySubsequences: false)
        .dropLast().joined(separator: [CChar(UInt8(ascii: "/"))])
    let beside = String(decoding: folder.map { UInt8(bitPattern: $0) }, as: UTF8.self) + "/" + program
    var list = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    unsafe execv(beside, &list)
    unsafe execvp(program, &list)
    Console().complain("mildam: \(program) is neither beside this program nor on PATH")
    exit(ExitStatus.failed.rawValue)
}
