import Foundation
import Testing

/// Both ends of a pseudo terminal: the program's, and that of whoever types and looks.
final class Pty: @unchecked Sendable {  // two descriptors that never change
    let person: Int32
    let program: Int32
    let path: String

    init(columns: UInt16 = 80) throws {
        var ends: (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(unsafe openpty(&ends.0, &ends.1, nil, nil, &size) == 0)
        (person, program) = ends
        for end in [person, program] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        path = unsafe try #require(ttyname(program).map { unsafe String(cString: $0) })
    }

    deinit {
        close(person)
        close(program)
    }

    var echoes: Bool {
        var settings = termios()
        return unsafe tcgetattr(program, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #expect(unsafe write(person, bytes, bytes.count) == bytes.count)
    }

    /// What appears until `text` has, or until nothing more comes for `patience` milliseconds.
    func look(for text: String? = nil, patience: Int32 = 10_000) -> String {
        var seen: [UInt8] = []
        while true {
            var wanted = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            guard unsafe poll(&wanted, 1, patience) > 0 else { break }
            var piece = [UInt8](repeating: 0, count: 4096)
            let got = unsafe read(person, &piece, piece.count)
            guard got > 0 else { break }
            seen += piece.prefix(got)
            if let text, String(decoding: seen, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: seen, as: UTF8.self)
    }

    /// Starts blocking work on a thread of its own, at once: the threads of the test runner may all be waiting.
    static func elsewhere<Result: Sendable>(_ work: @escaping @Sendable () -> Result) -> Answer<Result> {
        let (results, continuation) = AsyncStream.makeStream(of: Result.self)
        Thread.detachNewThread {
            continuation.yield(work())
            continuation.finish()
        }
        return Answer(results: results)
    }
}

/// What work on another thread comes to.
struct Answer<Result: Sendable>: Sendable {
    fileprivate let results: AsyncStream<Result>

    var value: Result? {
        get async { await results.first { _ in true } }
    }
}
