import Foundation
import MildamTerminal
import Testing

@Suite("Typing below what is printed")
struct LineTerminalTests {
    /// Nobody reads what is printed until the key is pressed: the program stands in the middle of it.
    @Test("A key counts before all that comes first is printed; the rest is left out, and the terminal is as before")
    func endedWhilePrinting() async throws {
        let pty = try Pty()
        let terminal = try LineTerminal(input: pty.program, console: Console(output: pty.program))
        let lines = (1...2000).map { "\($0) " + String(repeating: "x", count: 70) }
        let end = Pty.elsewhere {
            try? terminal.run(prompt: "room", limit: 100, beginning: lines) { _ in .taken() }
        }
        _ = pty.look(for: "1 x")
        #expect(!pty.echoes)
        pty.type("\u{4}")
        let seen = pty.look(patience: 1000)
        #expect(await end.value == .finished)
        #expect(seen.contains("2 x") && !seen.contains("1000 x"))
        #expect(pty.echoes)
    }

    @Test("All that comes first is printed, in its order, before what is said meanwhile")
    func printed() async throws {
        let pty = try Pty()
        let terminal = try LineTerminal(input: pty.program, console: Console(output: pty.program))
        let lines = (1...500).map { "line \($0) " + String(repeating: "x", count: 50) }
        terminal.show(["said meanwhile"])
        let end = Pty.elsewhere {
            try? terminal.run(prompt: "room", limit: 100, beginning: lines) { _ in .last }
        }
        pty.type("typed")
        let seen = pty.look(for: "said meanwhile")
        let numbers = seen.split(separator: "line ").compactMap { $0.split(separator: " ").first.flatMap { Int($0) } }
        #expect(numbers == Array(1...500))
        pty.type("\r")
        #expect(await end.value == .finished)
    }
}
