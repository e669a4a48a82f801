import Glibc
import MildamSystem
import Testing

@testable import MildamTerminal

@Suite("Exit statuses")
struct ExitStatusTests {
    static let codes: [(Int32, MildamTerminal.ExitStatus)] = [
        (ENOENT, .notFound), (ENXIO, .notFound), (ENODEV, .notFound), (EEXIST, .refused), (ENOTEMPTY, .refused),
        (EISDIR, .refused), (ENOTDIR, .refused), (ELOOP, .refused), (EACCES, .refused), (EPERM, .refused),
        (EROFS, .refused), (ENOSPC, .failed), (EDQUOT, .failed), (EIO, .failed), (EINVAL, .failed),
    ]

    @Test("The system's errors", arguments: codes)
    func system(_ code: Int32, _ status: MildamTerminal.ExitStatus) {
        let error = SystemError("open", "file", code: code)
        #expect(MildamTerminal.ExitStatus(error) == status)
        #expect(MildamTerminal.ExitStatus(PromptError.system(error)) == status)
    }

    @Test func nobodyCanBeAsked() {
        for error in [PromptError.noTerminal(option: "--yes"), .ended, .tooLong] {
            #expect(MildamTerminal.ExitStatus(error) == .refused)
        }
        #expect(MildamTerminal.ExitStatus(PromptError.interrupted) == .failed)
        #expect(MildamTerminal.ExitStatus(UsageError(.missingCommand, command: "x")) == .usage)
    }

    @Test func anErrorThatSaysNothingOfItFailed() {
        struct Trouble: Error {}
        #expect(MildamTerminal.ExitStatus(Trouble()) == .failed)
    }

    @Test("Many things end with what their failures have in common")
    func many() {
        #expect(MildamTerminal.ExitStatus.of([MildamTerminal.ExitStatus]()) == .done)
        #expect(MildamTerminal.ExitStatus.of([MildamTerminal.ExitStatus.notFound]) == .notFound)
        #expect(MildamTerminal.ExitStatus.of([MildamTerminal.ExitStatus.refused, .refused]) == .refused)
        #expect(MildamTerminal.ExitStatus.of([MildamTerminal.ExitStatus.refused, .notFound, .refused]) == .failed)
    }

    @Test("One table is printed by the help, the manual and the reference")
    func table() {
        #expect(MildamTerminal.ExitStatus.table.map(\.name) == ["0", "1", "2", "3", "4", "5", "6", "7"])
        func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        for row in MildamTerminal.ExitStatus.table {
            #expect(words(sample.help()).contains(words(row.explanation)))
            #expect(sample.referencePage.contains("| `\(row.name)` | \(row.explanation) |"))
        }
    }
}
