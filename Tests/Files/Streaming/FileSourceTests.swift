import Foundation
import Glibc
import MildamCrypto
import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

/// What is read from a pipe, and written to one, as others have set it up.
@Suite struct FileSourceTests {
    private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }

    /// A pipe whose ends do not block: `read` and `write` say EAGAIN.
    private func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        return (ends[0], ends[1])
    }

    @Test func aFileThatGrowsIsNotReadBehindItsSize() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("grows")
        try WholeFile.write([1, 2, 3].span, to: path)
        let whole = try FileSource(path).digest { false }
        #expect(whole.map { Array($0) } == Array(SHA256.hash(data: [1, 2, 3] as [UInt8])))
        let source = try FileSource(path)
        let target = try Descriptor.open(path, O_WRONLY)
        try target.write(Self.content.span)
        var pieces = 0
        let digest = try source.digest {
            pieces += 1
            return false
        }
        #expect(digest == nil && pieces == 1)
    }

    @Test(.timeLimit(.minutes(1))) func whatComesSlowlyThroughANonBlockingPipeIsWaitedFor() throws {
        let (reading, writing) = try pipe()
        Foundation.Thread.detachNewThread {
            let descriptor = Descriptor(owning: writing)
            for start in stride(from: 0, to: Self.content.count, by: 100_000) {
                usleep(30_000)
                try? descriptor.write(Self.content.span.extracting(start..<start + 100_000))
            }
        }
        let source = try FileSource(owning: Descriptor(owning: reading))
        #expect(try source.beginning(10) == Array(Self.content.prefix(10)))
        var buffer = [UInt8](repeating: 0, count: Self.content.count + 1)
        #expect(try source.fill(&buffer) == Self.content.count)
        #expect(buffer.dropLast() == Self.content[...])
    }

    @Test(.timeLimit(.minutes(1))) func whatANonBlockingPipeTakesSlowlyIsWaitedFor() async throws {
        let (reading, writing) = try pipe()
        async let got = Blocking.run {
            let descriptor = Descriptor(owning: reading)
            usleep(100_000)
            var buffer = [UInt8](repeating: 0, count: Self.content.count + 1)
            let count = try descriptor.fill(&buffer)
            return Array(buffer.prefix(count))
        }
        try await Blocking.run {
            let target = Descriptor(owning: writing)
            try target.write(Self.content.span)
        }
        #expect(try await got == Self.content)
    }

    @Test func whatHasEndedDoesNotBeginAnew() throws {
        let folder = try TemporaryFolder()
        try #require(unsafe mkfifo(folder.file("fifo"), 0o600) == 0)
        let descriptor = try Descriptor.open(folder.file("fifo"), O_RDONLY | O_NONBLOCK)
        func write(_ bytes: [UInt8]) throws { try Descriptor.open(folder.file("fifo"), O_WRONLY).write(bytes.span) }
        try write([1, 2, 3])
        let source = try FileSource(owning: descriptor)
        #expect(try source.beginning(100) == [1, 2, 3])
        try write([4, 5, 6])
        var buffer = [UInt8](repeating: 0, count: 100)
        #expect(try source.fill(&buffer) == 3)
        #expect(buffer.prefix(4) == [1, 2, 3, 0])
    }
}
