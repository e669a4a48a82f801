// A program that the tests of MildamSystem start, for what a test cannot do to itself. Never installed; no product names
// it.
//
//     mildam-system-program identify PATH

import Glibc
import MildamSystem

/// Says something at once, in one write.
func say(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe write(1, $0.baseAddress, $0.count) }
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
    default:
        exit(2)
    }
} catch {
    say("failed: \(error)")
    exit(1)
}
