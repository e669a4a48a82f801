import Testing

@testable import MildamRelay

@Suite("The write-ahead log's length")
struct LogLengthTests {
    @Test("most is moved beside the commits, the little that is left at once, and then it begins anew")
    func turns() {
        for _ in 0..<2 {
            var length = LogLength()
            #expect(length.step(afterWriting: LogLength.long - 1, isMoving: false) == .nothing)
            #expect(length.step(afterWriting: 1, isMoving: false) == .beside)
            #expect(length.step(afterWriting: LogLength.little, isMoving: true) == .nothing)
            #expect(length.step(afterWriting: 1, isMoving: false) == .beside)
            #expect(length.step(afterWriting: LogLength.little, isMoving: false) == .atOnce)
            #expect(length.step(afterWriting: LogLength.long - 1, isMoving: false) == .nothing)
        }
    }

    @Test("a log that grows faster than it is moved is not waited for without end")
    func bound() {
        var length = LogLength()
        #expect(length.step(afterWriting: LogLength.tooLong - 1, isMoving: true) == .nothing)
        #expect(length.step(afterWriting: 1, isMoving: true) == .atOnce)
    }
}
