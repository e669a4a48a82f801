import Testing

@testable import MildamClientAPI

@Suite("Lines that arrive in pieces")
struct LineSplitterTests {
    private func lines(_ pieces: [[UInt8]]) throws -> [[UInt8]] {
        var splitter = LineSplitter()
        var lines: [[UInt8]] = []
        for piece in pieces {
            splitter.take(piece)
            while let line = try splitter.next() { lines.append(line) }
        }
        return lines
    }

    @Test func theyAreTheSameHoweverTheyAreCut() throws {
        let bytes = Array("one\n\ntwo and more\nrest".utf8)
        let whole = ["one", "", "two and more"].map { Array($0.utf8) }
        for end in bytes.indices {
            #expect(try lines([Array(bytes[..<end]), Array(bytes[end...])]) == whole)
        }
        #expect(try lines(bytes.map { [$0] }) == whole)
    }

    @Test func theBeginningOfALineWaits() throws {
        var splitter = LineSplitter()
        #expect(!splitter.hasBeginning)
        splitter.take(Array("a\nb".utf8))
        #expect(try splitter.next() == Array("a".utf8))
        #expect(splitter.hasBeginning)
        #expect(try splitter.next() == nil)
        splitter.take(Array("\n".utf8))
        #expect(try splitter.next() == Array("b".utf8))
        #expect(!splitter.hasBeginning)
    }

    @Test func aLineWithoutAnEndIsRefusedAtItsLimit() throws {
        var splitter = LineSplitter()
        splitter.take([UInt8](repeating: 0x61, count: LineLimits.line))
        #expect(try splitter.next() == nil)
        splitter.take([0x61])
        #expect(throws: ClientLineDefect.tooLong) { try splitter.next() }
    }

    @Test func theLongestLineIsTaken() throws {
        let longest = [UInt8](repeating: 0x61, count: LineLimits.line)
        #expect(try lines([longest + [0x0a]]) == [longest])
        #expect(throws: ClientLineDefect.tooLong) { try lines([longest + [0x61, 0x0a]]) }
    }
}
