import Glibc
import MildamSystem
import Testing

@Suite("Programs that are spoken with")
struct ChildTests {
    private func exchange(
        _ script: String,
        _ input: [UInt8] = [],
        room: Int = 1 << 20,
        within seconds: Int = 20,
        errors: Child.Errors = .inherited
    ) throws -> (output: [UInt8], status: Int32) {
        var child = try Child("/bin/sh", ["-c", script], environment: ["PATH=/usr/bin:/bin"], errors: errors)
        var output = [UInt8](repeating: 0, count: room)
        var span = output.mutableSpan
        let count = try child.exchange(input.span, for: &span, within: seconds)
        return (Array(output.prefix(count)), try child.status(within: 10))
    }

    @Test("Input and output that fill the socket at once do not wait for each other")
    func bothWays() throws {
        let input = (0..<4 << 20).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }
        let result = try exchange("cat", input, room: input.count)
        #expect(result.output == input && result.status == 0)
    }

    @Test("The end of the input is seen, also of none")
    func end() throws {
        #expect(try exchange("cat; echo over").output == Array("over\n".utf8))
    }

    @Test("A program that reads nothing has its say")
    func deaf() throws {
        let result = try exchange("exec <&-; echo no; exit 3", [UInt8](repeating: 1, count: 4 << 20))
        #expect(result.output == Array("no\n".utf8) && result.status == 3)
    }

    @Test("Standard error goes where it is sent")
    func errors() throws {
        #expect(try exchange("echo said >&2", errors: .withOutput).output == Array("said\n".utf8))
        #expect(try exchange("exec 2>/dev/null; echo unsaid >&2").output.isEmpty)
    }

    @Test("More output than there is room for is refused, and exactly as much is not")
    func room() throws {
        #expect(try exchange("printf 1234", room: 4).output == Array("1234".utf8))
        #expect { try exchange("printf 12345", room: 4) } throws: { ($0 as? SystemError)?.code == EMSGSIZE }
    }

    @Test("A program that stands still is not waited for")
    func silent() throws {
        let begin = ContinuousClock.now
        #expect { try exchange("exec sleep 60", within: 1) } throws: { ($0 as? SystemError)?.code == ETIMEDOUT }
        #expect(begin.duration(to: .now) < .seconds(10))
    }

    @Test("Its status is what it exited with, or 128 and a signal", arguments: [("exit 7", 7), ("kill -TERM $$", 143)])
    func status(_ script: String, _ status: Int32) throws {
        #expect(try exchange(script).status == status)
    }

    @Test("A status is waited for so long")
    func running() throws {
        var child = try Child("/bin/sleep", ["60"], environment: [])
        let begin = ContinuousClock.now
        do throws(SystemError) {
            _ = try child.status(within: 1)
            Issue.record("it ended")
        } catch {
            #expect(error.code == ETIMEDOUT)
        }
        #expect(begin.duration(to: .now) < .seconds(10))
    }
}

@Suite("Programs installed with this one")
struct SiblingProgramTests {
    @Test func onPath() {
        #expect(SiblingProgram.path(of: "sh")?.hasSuffix("/sh") == true)
    }

    @Test func nowhere() {
        #expect(SiblingProgram.path(of: "mildam-no-such-program") == nil)
    }

    @Test("A folder is no program")
    func folder() {
        #expect(SiblingProgram.path(of: "..") == nil)
    }
}
