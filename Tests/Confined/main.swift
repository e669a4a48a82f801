// Enters the confinement of mildam-scan and then tries to get out, as a decoder that was led astray would. Prints a line for
// each attempt: its name, and "done" or the number of the error. Never installed; no product names it.
//
//     mildam-confined confined|free FILE

import Glibc
import MildamScan

/// Says something at once, in one write.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

func attempt(_ name: String, _ call: () -> Int) {
    errno = 0
    let result = call()
    say("\(name) \(result == -1 ? "\(errno)" : "done")")
}

let arguments = CommandLine.arguments
guard arguments.count == 3 else { exit(2) }
let file = arguments[2]
let other = file + ".other"
do {
    if arguments[1] == "confined" { try Confinement.enter() }
} catch {
    say("\(error)")
    exit(1)
}
attempt("read a file") { unsafe Int(open(file, O_RDONLY)) }
attempt("make a file") { unsafe Int(open(other, O_WRONLY | O_CREAT, 0o600)) }
attempt("look at a file") {
    var status = stat()
    return unsafe Int(lstat(file, &status))
}
attempt("change a file's mode") { unsafe Int(chmod(file, 0o600)) }
attempt("rename a file") { unsafe Int(rename(file, other)) }
attempt("delete a file") { unsafe Int(unlink(other)) }
attempt("duplicate a descriptor") { Int(dup(1)) }
attempt("make a socket") { Int(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)) }
attempt("make a pair of sockets") {
    var ends: [Int32] = [0, 0]
    return unsafe Int(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends))
}
attempt("signal the parent") { Int(kill(getppid(), 0)) }
attempt("raise a limit") {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    return unsafe Int(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit))
}
attempt("map executable memory") {
    let protection = PROT_READ | PROT_WRITE | PROT_EXEC
    return unsafe Int(bitPattern: mmap(nil, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
}
attempt("make memory executable") {
    let memory = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return unsafe Int(mprotect(memory, 4096, PROT_READ | PROT_EXEC))
}
attempt("map plain memory") {
    unsafe Int(bitPattern: mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
}
attempt("map a gibibyte") {
    unsafe Int(bitPattern: mmap(nil, 1 << 30, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
}
attempt("start a program") {
    var list: [UnsafeMutablePointer<CChar>?] = unsafe [strdup("sh"), strdup("-c"), strdup("echo a program ran"), nil]
    return unsafe Int(execv("/bin/sh", &list))
}
_exit(0)
