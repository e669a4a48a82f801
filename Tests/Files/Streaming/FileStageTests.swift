import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

@Suite("A second thread for the pieces of a file")
struct FileStageTests {
    private struct Refusal: Error {}

    /// Adds 1 to each byte, and remembers how many pieces it had.
    private final class Adding: FileStage, @unchecked Sendable {  // one thread at a time, as FileStage says
        var count = 0

        func process(_ piece: inout FilePiece) {
            for index in piece.bytes.indices { piece.bytes[index] &+= 1 }
            count += 1
        }
    }

    @Test("Every piece passes once, in its order", arguments: [1, 2, 3, 4, 5, 100])
    func order(_ count: Int) throws {
        let stage = Adding()
        var (read, written) = (0, 0)
        try stage.run { (piece) throws(Refusal) in
            piece.resize(to: 10)
            for index in 0..<10 { piece.bytes[index] = UInt8(read) }
            read += 1
            piece.isLast = read == count
        } writing: { (piece) throws(Refusal) in
            #expect(piece.bytes == [UInt8](repeating: UInt8(written + 1), count: 10))
            written += 1
            #expect(read - written < FileStageThread.pieces)
        }
        #expect(read == count && written == count && stage.count == count)
    }

    @Test("An error of the reader or the writer ends it, with the thread", arguments: [true, false])
    func refusal(reading: Bool) {
        for step in 1...20 {
            let stage = Adding()
            var (read, written) = (0, 0)
            #expect(throws: Refusal.self) {
                try stage.run { (piece) throws(Refusal) in
                    read += 1
                    if reading, read == step { throw Refusal() }
                    piece.resize(to: 1)
                } writing: { (piece) throws(Refusal) in
                    written += 1
                    if !reading, written == step { throw Refusal() }
                }
            }
            // The thread has ended: nothing is worked on any more.
            let count = stage.count
            #expect(count <= read && written <= count && stage.count == count)
        }
    }

    @Test("A piece has one owner: it is never copied on its way")
    func oneOwner() throws {
        let stage = Adding()
        var places: Set<UInt> = []
        var read = 0
        try stage.run { (piece) throws(Refusal) in
            piece.resize(to: FilePiece.size)
            read += 1
            piece.isLast = read == 50
        } writing: { (piece) throws(Refusal) in
            piece.bytes[0] = 1
            places.insert(unsafe piece.bytes.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) })
        }
        #expect(places.count <= FileStageThread.pieces)
    }
}
