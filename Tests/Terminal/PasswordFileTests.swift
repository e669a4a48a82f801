import Glibc
import MildamSystem
import Testing

@testable import MildamTerminal

@Suite("A password from a file or a stream")
struct PasswordFileTests {
    private func read(_ content: String) throws -> String {
        try Shell.withFolder { folder in
            try WholeFile.write(Array(content.utf8).span, to: "\(folder)/password")
            return try PasswordFile.read("\(folder)/password", text)
        }
    }

    @Test(arguments: [
        ("geheim", "geheim"), ("geheim\n", "geheim"), ("geheim\n\n", "geheim"), ("a\nb\n", "a"), ("\n", ""),
        (" a \n", " a "),
        ("a\r\n", "a\r"), ("\0\u{1}\n", "\0\u{1}"),
    ])
    func firstLine(_ content: String, _ password: String) throws {
        #expect(try Array(read(content).utf8) == Array(password.utf8))
    }

    @Test(arguments: [0, 1, 2])
    func length(_ excess: Int) throws {
        let longest = String(repeating: "x", count: Prompt.longestSecret)
        switch excess {
        case 0:
            #expect(try read(longest) == longest)
            #expect(try read(longest + "\n") == longest)
        default:
            let tooLong = longest + String(repeating: "x", count: excess)
            #expect(throws: PromptError.tooLong) { try read(tooLong) }
            #expect(throws: PromptError.tooLong) { try read(tooLong + "\n") }
        }
    }

    @Test func nothingThere() {
        #expect(throws: PromptError.ended) { try read("") }
        #expect(throws: PromptError.self) { try PasswordFile.read("/nowhere/password", text) }
        #expect(throws: PromptError.self) { try PasswordFile.read("/", text) }
    }

    @Test("What follows the line stays in the stream")
    func streamGoesOn() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        unsafe write(ends[1], "geheim\nmessage", 14)
        close(ends[1])
        #expect(try PasswordFile.read(descriptor: ends[0], named: "a pipe", text) == "geheim")
        var rest = [UInt8](repeating: 0, count: 100)
        #expect(unsafe Glibc.read(ends[0], &rest, 100) == 7)
        #expect(rest.starts(with: Array("message".utf8)))
    }

    @Test("A buffer that starts anew holds nothing of before")
    func wiping() throws {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe pipe(&ends) == 0)
        defer { close(ends[0]) }
        unsafe write(ends[1], "geheim", 6)
        close(ends[1])
        var buffer = WipedBuffer(capacity: 16)
        #expect(buffer.read(from: ends[0], limit: 16) == 6)
        let old = buffer.withBytes { bytes in unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        buffer.clear()
        #expect(buffer.count == 0)
        let place = unsafe UnsafePointer<UInt8>(bitPattern: old)
        for index in 0..<16 { #expect(unsafe place?[index] == 0) }
        withExtendedLifetime(ends) {}
        #expect(buffer.room == 16)
    }
}
