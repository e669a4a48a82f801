import Glibc
import MildamSystem
import Synchronization
import Testing

@testable import MildamTerminal

private let handled = Atomic<Int32>(0)

/// Handlers and terminals belong to the process: one test at a time.
@Suite("Questions on a terminal", .serialized, .timeLimit(.minutes(1)))
struct PromptTests {
    private func ask(_ pty: Pty, _ question: String = "Password: ") -> Answer<Result<String, PromptError>> {
        let prompt = Prompt(device: pty.path)
        return Pty.elsewhere {
            do throws(PromptError) {
                return .success(try prompt.password(question, option: "--password-file", text))
            } catch {
                return .failure(error)
            }
        }
    }

    @Test("A password is asked for, does not show, and the echo comes back")
    func password() async throws {
        let pty = try Pty()
        #expect(pty.echoes)
        let answer = ask(pty, "Password of \u{1B}kim: ")
        #expect(pty.look(for: "kim: ") == "Password of ␛kim: ")
        #expect(!pty.echoes)
        pty.type("geheim 밀담\n")
        #expect(await answer.value == .success("geheim 밀담"))
        #expect(pty.echoes)
        #expect(pty.look(patience: 50) == "\r\n")
    }

    @Test func anEmptyPasswordIsHandedOver() async throws {
        let pty = try Pty()
        let answer = ask(pty)
        _ = pty.look(for: ": ")
        pty.type("\n")
        #expect(await answer.value == .success(""))
    }

    @Test("The end of the input is an error, and the echo comes back")
    func end() async throws {
        let pty = try Pty()
        let answer = ask(pty)
        _ = pty.look(for: ": ")
        pty.type("\u{4}")
        #expect(await answer.value == .failure(.ended))
        #expect(pty.echoes)
    }

    @Test("A signal restores the echo before it does what it does", arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
    func signals(_ signal: Int32) async throws {
        let pty = try Pty()
        let before = install(signal)
        defer { restore(signal, before) }
        let answer = ask(pty)
        _ = pty.look(for: ": ")
        pty.type("half")
        kill(getpid(), signal)
        #expect(await answer.value == .failure(.interrupted))
        #expect(pty.echoes)
        await untilHandled(signal)
    }

    @Test("After a stop the question is asked anew, and half an answer is forgotten")
    func stop() async throws {
        let pty = try Pty()
        let before = install(SIGTSTP)
        defer { restore(SIGTSTP, before) }
        let answer = ask(pty)
        _ = pty.look(for: ": ")
        pty.type("half")
        kill(getpid(), SIGTSTP)
        await untilHandled(SIGTSTP)
        // Raised again, the signal may be noticed by another thread so late that it interrupts the new question too.
        #expect(pty.look(patience: 300).hasSuffix("Password: "))
        #expect(!pty.echoes)
        pty.type("whole\n")
        #expect(await answer.value == .success("whole"))
        #expect(pty.echoes)
    }

    @Test("Without a terminal the error says what to write instead", arguments: ["/dev/null", "/nowhere/tty"])
    func noTerminal(_ device: String) {
        let error = #expect(throws: PromptError.self) {
            try Prompt(device: device).password("Password: ", option: "--password-file", text)
        }
        #expect(error == .noTerminal(option: "--password-file"))
        #expect(error?.description == "there is no terminal to ask on; use --password-file")
        #expect(throws: PromptError.noTerminal(option: "--yes")) {
            try Prompt(device: device).confirm("Sure?", option: "--yes")
        }
    }

    @Test(arguments: [("y\n", true), ("Yes\n", true), ("n\n", false), ("\n", false), ("yess\n", false)])
    func confirm(_ typed: String, _ agreed: Bool) async throws {
        let pty = try Pty()
        let prompt = Prompt(device: pty.path)
        let answer = Pty.elsewhere { try? prompt.confirm("Remove?", option: "--yes") }
        #expect(pty.look(for: "[y/N] ") == "Remove? [y/N] ")
        pty.type(typed)
        #expect(await answer.value == agreed)
    }

    private func install(_ signal: Int32) -> sigaction {
        handled.store(0, ordering: .sequentiallyConsistent)
        var ours = sigaction()
        var before = sigaction()
        unsafe ours.__sigaction_handler.sa_handler = { handled.store($0, ordering: .sequentiallyConsistent) }
        unsafe sigaction(signal, &ours, &before)
        return before
    }

    private func restore(_ signal: Int32, _ action: sigaction) {
        var action = action
        unsafe sigaction(signal, &action, nil)
    }

    private func untilHandled(_ signal: Int32) async {
        for _ in 0..<1000 where handled.load(ordering: .sequentiallyConsistent) != signal {
            try? await Task.sleep(for: .milliseconds(1))
        }
        #expect(handled.load(ordering: .sequentiallyConsistent) == signal)
    }
}

/// The bytes of a secret, for a test to look at.
func text(_ bytes: Span<UInt8>) -> String {
    String(decoding: (0..<bytes.count).map { bytes[$0] }, as: UTF8.self)
}
