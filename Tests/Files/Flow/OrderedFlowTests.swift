import Glibc
import MildamSystem
import TestSupport
import Testing

@testable import MildamFiles

@Suite("Work on a stream by several threads")
struct OrderedFlowTests {
    private struct Refused: Error, Equatable {
        let number: Int
    }

    /// What all workers of a flow share.
    private final class Stream: Sendable {
        struct State {
            var taken: [Int] = []
            var handedOn: [Int] = []
            /// How many take, hand on, or work at this moment, and the most that worked at once.
            var (taking, handing, working, most) = (0, 0, 0, 0)
            var overlaps = 0
        }

        let count: Int
        let failsToTake: Int?
        let failsToHandOn: Set<Int>
        let state = Lock(State())

        init(count: Int, failsToTake: Int? = nil, failsToHandOn: Set<Int> = []) {
            self.count = count
            self.failsToTake = failsToTake
            self.failsToHandOn = failsToHandOn
        }
    }

    private final class Worker: FlowWorker {
        private let stream: Stream
        private var number = 0

        init(_ stream: Stream) {
            self.stream = stream
        }

        func take(_ number: Int) throws(Refused) -> Bool {
            stream.state.withLock { state in
                if state.taking > 0 { state.overlaps += 1 }
                state.taking += 1
            }
            usleep(50)
            stream.state.withLock { state in
                state.taking -= 1
                state.taken.append(number)
            }
            if number == stream.failsToTake { throw Refused(number: number) }
            self.number = number
            return number < stream.count
        }

        func work() {
            stream.state.withLock { state in
                state.working += 1
                state.most = max(state.most, state.working)
            }
            // The later pieces are done first.
            usleep(UInt32(number % 5 == 0 ? 2000 : 100))
            stream.state.withLock { $0.working -= 1 }
        }

        func handOn() throws(Refused) {
            stream.state.withLock { state in
                if state.handing > 0 { state.overlaps += 1 }
                state.handing += 1
            }
            usleep(50)
            stream.state.withLock { state in
                state.handing -= 1
                if !stream.failsToHandOn.contains(number) { state.handedOn.append(number) }
            }
            if stream.failsToHandOn.contains(number) { throw Refused(number: number) }
        }
    }

    private func run(_ stream: Stream, _ workers: Int) throws(Refused) {
        try OrderedFlow.run((0..<workers).map { _ in Worker(stream) })
    }

    @Test("pieces are handed on in their order, each once, one at a time", arguments: [1, 2, 3, 8], [0, 1, 2, 7, 100])
    func order(_ workers: Int, _ count: Int) throws {
        let stream = Stream(count: count)
        try run(stream, workers)
        let state = stream.state.withLock { $0 }
        #expect(state.handedOn == Array(0..<count))
        #expect(state.taken.starts(with: 0..<count))
        #expect(state.overlaps == 0)
        if count == 100 { #expect(workers == 1 ? state.most == 1 : state.most > 1) }
    }

    @Test("the first failure in the stream's order is the flow's; what is before it goes out, what is behind it never")
    func failures() {
        for workers in [1, 2, 5] {
            let stream = Stream(count: 100, failsToHandOn: [40, 41, 42, 43, 44])
            #expect(throws: Refused(number: 40)) { try run(stream, workers) }
            #expect(stream.state.withLock { $0.handedOn } == Array(0..<40))
            let other = Stream(count: 100, failsToTake: 30)
            #expect(throws: Refused(number: 30)) { try run(other, workers) }
            #expect(other.state.withLock { $0.handedOn } == Array(0..<30))
            let both = Stream(count: 100, failsToTake: 30, failsToHandOn: [28])
            #expect(throws: Refused(number: 28)) { try run(both, workers) }
        }
    }

    @Test("pieces of a stream, the last one known as such", arguments: [0, 1, 9, 10, 11, 19, 20, 21, 30])
    func pieces(_ count: Int) throws {
        let folder = try TemporaryFolder()
        let content = (0..<count).map { UInt8($0) }
        try WholeFile.write(content.span, to: folder.file("in"))
        for beginning in 0...min(count, 10) {
            let file = try Descriptor.open(folder.file("in"), O_RDONLY)
            var first = [UInt8](repeating: 0, count: beginning)
            #expect(try file.fill(&first) == beginning)
            let source = PieceSource(PlainInput(try FileSource(file), meter: ByteMeter()), size: 10, beginning: first)
            var buffer = [UInt8](repeating: 0xFF, count: 11)
            var seen: [UInt8] = []
            var lasts: [Bool] = []
            while let piece = try source.take(into: &buffer) {
                seen += buffer[..<piece.count]
                lasts.append(piece.isLast)
            }
            #expect(seen == content)
            #expect(lasts.count == max(1, (count + 9) / 10))
            #expect(lasts.last == true && !lasts.dropLast().contains(true))
        }
    }
}
