import Foundation
import MildamSystem
import Testing

@testable import MildamTerminal

@Suite("Standard output, standard error, progress", .timeLimit(.minutes(1)))
struct ConsoleTests {
    private func makePipe() throws -> (reader: Int32, writer: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    @Test("A stream that takes little at a time gets everything")
    func shortWrites() async throws {
        let (reader, writer) = try makePipe()
        _ = fcntl(writer, F_SETFL, O_NONBLOCK)
        let text = String(repeating: "0123456789abcdef", count: 64 * 1024)
        let written = Pty.elsewhere {
            let result = Result { try Console(output: writer).print(text, terminator: "") }
            close(writer)
            return (try? result.get()) != nil
        }
        var seen: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1000)
        while case let got = unsafe read(reader, &piece, piece.count), got > 0 { seen += piece.prefix(got) }
        close(reader)
        #expect(await written.value == true)
        #expect(seen == Array(text.utf8))
    }

    @Test func aReaderThatHasGone() throws {
        Console.ignoreBrokenPipes()
        let (reader, writer) = try makePipe()
        close(reader)
        defer { close(writer) }
        let error = #expect(throws: SystemError.self) { try Console(output: writer).print("x") }
        #expect(error?.isReaderGone == true)
        #expect(error?.description == "cannot write to standard output: Broken pipe")
        Console(errors: writer).complain("nobody hears this")
    }

    @Test func widthAndTerminal() throws {
        let pty = try Pty(columns: 123)
        let terminal = Console(output: pty.program, environment: { $0 == "TERM" ? "xterm" : "44" })
        #expect(terminal.width() == 123)
        #expect(terminal.isTerminal())
        #expect(Console(output: pty.program, environment: { $0 == "TERM" ? "xterm" : nil }).style().isEnabled)
        let (reader, writer) = try makePipe()
        defer {
            close(reader)
            close(writer)
        }
        for (columns, width) in [("44", 44), ("0", 80), ("-3", 80), ("x", 80), ("999999999999999999999", 80)] {
            let console = Console(output: writer, environment: { $0 == "COLUMNS" ? columns : "xterm" })
            #expect(console.width() == width)
            #expect(!console.isTerminal())
            #expect(!console.style().isEnabled)
        }
    }

    @Test("Progress: drawn, updated ten times a second at most, and gone at the end")
    func progressOnATerminal() throws {
        let pty = try Pty(columns: 60)
        let console = Console(errors: pty.program, environment: { $0 == "TERM" ? "xterm" : nil })
        let now = Lock<Int64>(5000)
        let progress = Progress("photo\u{1B}.png", console: console) { now.withLock { $0 } }
        now.withLock { $0 += 1000 }
        progress.update(to: 1_000_000, of: 10_000_000)
        #expect(pty.look(patience: 50) == "\r\u{1B}[Kphoto␛.png  1.0 MB of 10 MB, 10 %  1.0 MB/s  0:09 left")
        now.withLock { $0 += 99 }
        progress.update(to: 2_000_000, of: 10_000_000)
        #expect(pty.look(patience: 50) == "")
        now.withLock { $0 += 901 }
        progress.update(to: 2_000_000, of: 10_000_000)
        #expect(pty.look(patience: 50) == "\r\u{1B}[Kphoto␛.png  2.0 MB of 10 MB, 20 %  1.0 MB/s  0:08 left")
        progress.finish()
        #expect(pty.look(patience: 50) == "\r\u{1B}[K")
    }

    @Test(
        "What was done and its rate, at the end",
        arguments: [
            (1_200_000_000, 14_000, "1.2 GB in 0:14, 85 MB/s"), (3_000_000, 1550, "3.0 MB in 1.5 s, 1.9 MB/s"),
            (1_000_000, 0, "1.0 MB in 0.0 s, 1.0 GB/s"), (999_999, 5000, nil), (.max, 1, nil),
        ] as [(Int64, Int64, String?)]
    )
    func progressSummary(_ bytes: Int64, _ milliseconds: Int64, _ summary: String?) throws {
        let pty = try Pty()
        let now = Lock<Int64>(5000)
        let progress = Progress("x", console: Console(errors: pty.program)) { now.withLock { $0 } }
        now.withLock { $0 += milliseconds }
        progress.update(to: bytes, of: nil)
        #expect(progress.summary == nil, "not yet")
        progress.finish()
        now.withLock { $0 += 60_000 }
        progress.finish()
        #expect(progress.summary == summary)
    }

    @Test("Progress on a terminal without escape sequences is overwritten with spaces")
    func progressOnADumbTerminal() throws {
        let pty = try Pty(columns: 12)
        let console = Console(errors: pty.program, environment: { $0 == "TERM" ? "dumb" : nil })
        let progress = Progress("밀담밀담밀담", console: console) { 0 }
        progress.update(to: 5, of: nil)
        progress.finish()
        #expect(pty.look(patience: 50) == "\r\r밀담밀담밀…\r           \r")
    }

    @Test("Progress that is dropped by an error is gone as well; numbers of any size do no harm")
    func progressDropped() throws {
        let pty = try Pty()
        do {
            let now = Lock<Int64>(0)
            let console = Console(errors: pty.program, environment: { $0 == "TERM" ? "xterm" : nil })
            let progress = Progress("x", console: console) { now.withLock { $0 } }
            for done in [Int64.min, -1, 0, .max, 1] {
                now.withLock { $0 += 200 }
                progress.update(to: done, of: .max)
            }
        }
        #expect(pty.look(patience: 50).hasSuffix("\r\u{1B}[K"))
    }

    @Test("Nothing is printed where there is no terminal")
    func progressElsewhere() throws {
        let (reader, writer) = try makePipe()
        let progress = Progress("x", console: Console(errors: writer)) { 0 }
        progress.update(to: 5_000_000, of: 10_000_000)
        progress.finish()
        #expect(progress.summary == nil)
        close(writer)
        var byte: UInt8 = 0
        #expect(unsafe read(reader, &byte, 1) == 0)
        close(reader)
    }

    @Test(arguments: [
        (0, "0 B"), (-5, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (9999, "9.9 kB"), (10_000, "10 kB"),
        (999_999, "999 kB"),
        (1_000_000, "1.0 MB"), (13_400_000, "13 MB"), (Int64.max, "9.2 EB"),
    ])
    func byteCounts(_ bytes: Int64, _ text: String) {
        #expect(ByteCount.text(bytes) == text)
    }
}
