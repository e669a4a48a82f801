import Testing

@testable import MildamRelay

@Suite("The write-ahead log's length")
struct LogLengthTests {
    private func step(
        _ length: inout LogLength,
        _ pages: Int,
        isMoving: Bool = false,
        room: Int = .max
    ) -> LogLength.Step {
        length.step(afterWriting: pages, isMoving: isMoving) { room }
    }

    @Test("most is moved beside the commits, the little that is left at once, and then it begins anew")
    func turns() {
        var length = LogLength()
        for _ in 0..<2 {
            let steps = [
                step(&length, LogLength.long - 1), step(&length, 1), step(&length, LogLength.little, isMoving: true),
                step(&length, 1), step(&length, LogLength.little),
            ]
            #expect(steps == [.nothing, .beside, .nothing, .beside, .atOnce])
            length.restart()
        }
    }

    @Test("what could not be moved is tried again after a while, not at each commit")
    func again() {
        var length = LogLength()
        let begun = [step(&length, LogLength.long), step(&length, 1)]
        #expect(begun == [.beside, .atOnce])
        length.postpone()
        let steps = [step(&length, 1), step(&length, LogLength.interval - 2), step(&length, 1)]
        #expect(steps == [.nothing, .nothing, .atOnce])
    }

    @Test("a log that grows faster than it is moved is not waited for without end")
    func bound() {
        var length = LogLength()
        let steps = [step(&length, LogLength.tooLong - 1, isMoving: true), step(&length, 1, isMoving: true)]
        #expect(steps == [.nothing, .atOnce])
    }

    @Test("a log takes no more room than is left")
    func room() {
        var length = LogLength()
        let steps = [step(&length, 999, room: 1_000), step(&length, 1, room: 1_000)]
        #expect(steps == [.nothing, .beside] && length.isCramped)
        length.restart()
        _ = step(&length, LogLength.interval)
        #expect(!length.isCramped)
        let full = step(&length, LogLength.little, room: 0)
        #expect(full == .beside && length.isCramped)
    }
}
