// A program that the tests of MildamSystem start, for what a test cannot do to itself. Never installed; no product names
// it.
//
//     mildam-system-program identify PATH        says who connects
//     mildam-system-program hide|show|abort-hidden|abort
//     mildam-system-program serve PATH           as a daemon: listens, and is ready
//     mildam-system-program fail|noise|silence|close   as a daemon that does not become ready

import Glibc
import MildamSystem

/// Says something at once, in one write.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
}

/// Says what is wrong.
func complain(_ text: String) {
    let bytes = Array(text.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(2, $0.baseAddress, $0.count) }
}

/// Goes on when it is told to.
func pauseForALine() {
    _ = readLine()
}

/// Says which program is at the other end.
func identify(_ connection: UnixConnection) {
    do {
        say("program \(try PeerProcess(of: connection).executable.shownPath)")
    } catch {
        if case .hidden = error { say("hidden: \(error)") } else { say("failed: \(error)") }
    }
}

let words = Array(CommandLine.arguments.dropFirst())
do {
    switch words.first {
    case "identify" where words.count == 2:
        let listener = try UnixListener(at: words[1])
        say("listening")
        while let connection = try listener.accept() {
            identify(connection)
            try connection.send(Array("undumpable\n".utf8).span)
            var answer = [UInt8](repeating: 0, count: 4)
            var span = answer.mutableSpan
            guard try connection.receive(into: &span) else { continue }
            identify(connection)
        }
    case "hide":
        say("dumpable \(OwnProcess.isDumpable)")
        pauseForALine()
        try OwnProcess.hideMemory()
        say("dumpable \(OwnProcess.isDumpable) core \(OwnProcess.coreDumpLimit)")
        pauseForALine()
    case "show":
        try OwnProcess.hideMemory()
        try OwnProcess.showing { say("dumpable \(OwnProcess.isDumpable)") }
        say("dumpable \(OwnProcess.isDumpable) core \(OwnProcess.coreDumpLimit)")
        try? OwnProcess.showing { () throws -> Void in throw SystemError("do anything", code: EPERM) }
        say("dumpable \(OwnProcess.isDumpable) core \(OwnProcess.coreDumpLimit)")
    case "abort-hidden":
        try OwnProcess.hideMemory()
        abort()
    case "abort":
        abort()
    case "serve" where words.count == 2:
        let listener = try UnixListener(at: words[1])
        try Daemon.reportReady()
        say("heard by nobody")
        while let connection = try listener.accept() { connection.shutdown() }
    case "fail":
        complain("a warning\nthere is no ready\n")
        exit(3)
    case "noise":
        for _ in 0..<20_000 { complain("this is a line of noise, and not the last one\n") }
        exit(4)
    case "silence":
        while true { pause() }
    case "close":
        complain("not quite ready")
        close(1)
        close(2)
        while true { pause() }
    default:
        exit(2)
    }
} catch {
    complain("failed: \(error)\n")
    exit(1)
}
