import Foundation
import MildamSystem
import TestSupport
import Testing

@Suite("Schedules: four processes behind a gate that drops, delays, doubles and cuts")
struct ScheduleTests {
    /// What the clocks of server and workers are ahead of the machine's.
    private final class Ahead: Sendable {
        let milliseconds = Lock<Int64>(0)
        var now: Int64 { WallClock.system.milliseconds + milliseconds.withLock { $0 } }
    }

    /// A word that begins an answer, and what follows it.
    private func words(_ answer: String?) -> [String] { (answer ?? "").split(separator: " ").map(String.init) }

    private func fate(_ generator: inout SeededGenerator, cut: Int) -> RotatingServer.Fate {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0..<6: .passed
        case 6..<8: .lost
        case 8..<11: .unanswered
        case 11..<14: .cut(cut)
        case 14..<16: .late(Int.random(in: 1...60, using: &generator))
        // Later than the workers wait: the answer to a request that they have given up.
        case 16: .late(450)
        case 17..<19: .doubled
        default:
            .replaced(
                GateServer.answer(
                    [500, 502, 503, 403].randomElement(using: &generator) ?? 500,
                    "<html>a proxy's page</html>",
                    type: "text/html"
                ),
                arrives: Bool.random(using: &generator)
            )
        }
    }

    @Test("no schedule ends signed out while the family is valid, and none uses a token whose successor was confirmed")
    func schedules() async throws {
        let desk = try await Desk()
        let ahead = Ahead()
        let path = desk.folder.file("keychain.db")
        var workers: [Worker] = []
        for _ in 0..<4 { workers.append(try await Worker(keychain: path)) }
        var seen: [String: Int] = [:]
        var size = 400
        for number in 0..<Count.of(few: 24, full: 1000) {
            var generator = Seed.generator(for: "schedule \(number)")
            let server = try RotatingServer { ahead.now }
            for worker in workers {
                #expect(
                    try await worker.ask("open \(server.tokenURL) s\(number) \(desk.folder.file("lock"))") == "open"
                )
            }
            #expect(try await workers[number % 4].ask("login") == "in")
            // Each byte of an answer is the last one in some schedule.
            let fates = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                fate(&generator, cut: number % (size + 1))
            }
            // Every fifth begins with answers that are lost to all four, and eight hours of sleep after that.
            let isLost = number.isMultiple(of: 5)
            server.set(isLost ? [RotatingServer.Fate](repeating: .unanswered, count: 12) : fates)
            var story = ["fates \(fates)"]
            for round in 0..<Int.random(in: 2...6, using: &generator) {
                let sleeps = isLost && round == 1
                if sleeps { server.set(fates) }
                let step: Int64 =
                    sleeps
                    ? 8 * 3_600_000 : [1000, 100_000, 240_000, 285_000, 301_000].randomElement(using: &generator) ?? 0
                try await advance(round == 0 ? 301_000 : step, workers, ahead)
                let asking = workers.indices.filter { _ in
                    Int.random(in: 0..<4, using: &generator) > 0 || (isLost && round == 0)
                }
                let answers = try await ask(asking.map { workers[$0] })
                for answer in answers {
                    let kind = try check(answer, server, ahead, &story)
                    seen[kind, default: 0] += 1
                    if isLost && round == 0 { #expect(kind == "not now", "an answer came through: \(story)") }
                }
                story.append("round \(round) +\(step): \(answers.map { words($0).prefix(3).joined(separator: " ") })")
            }
            // The gate opens; whatever came before, everybody gets a token, without a person. Answers that are still
            // waited for hold the others up: they may have to ask again.
            server.set([])
            var waiting = workers
            for _ in 0..<4 where !waiting.isEmpty {
                try await advance(31_000, workers, ahead)
                let answers = try await ask(waiting)
                var left: [Worker] = []
                for (worker, answer) in zip(waiting, answers) where try check(answer, server, ahead, &story) != "token"
                {
                    story.append("the gate is open: \(answer ?? "ended")")
                    left.append(worker)
                }
                waiting = left
            }
            #expect(waiting.isEmpty, "schedule \(number): \(story)")
            #expect(server.violations == 0, "schedule \(number): \(story)")
            #expect(server.state.withLock { $0.family != nil }, "schedule \(number): \(story)")
            size = max(server.state.withLock(\.answerSize), 1)
        }
        print("answers in all schedules: \(seen)")
        #expect(seen["token", default: 0] > 0 && seen["not now", default: 0] > 0, "the gate was never felt")
        withExtendedLifetime(desk) {}
    }

    private func advance(_ milliseconds: Int64, _ workers: [Worker], _ ahead: Ahead) async throws {
        ahead.milliseconds.withLock { $0 += milliseconds }
        for worker in workers { try await worker.ask("advance \(milliseconds)") }
    }

    /// What each is answered, all asking at once; in their order.
    private func ask(_ workers: [Worker]) async throws -> [String?] {
        try await withThrowingTaskGroup(of: (Int, String?).self) { group in
            for (place, worker) in workers.enumerated() { group.addTask { (place, try await worker.ask("get")) } }
            var answers = [String?](repeating: nil, count: workers.count)
            for try await (place, answer) in group { answers[place] = answer }
            return answers
        }
    }

    /// What an answer is; a token must be alive at the server, and nobody is to be asked to sign in.
    private func check(
        _ answer: String?,
        _ server: RotatingServer,
        _ ahead: Ahead,
        _ story: inout [String]
    ) throws -> String {
        let words = words(answer)
        guard words.first == "token", words.count == 3 else {
            #expect(answer?.hasPrefix("error not now") == true, "\(answer ?? "ended"): \(story)")
            return "not now"
        }
        let end = server.state.withLock { $0.access[words[2]] }
        // What the asking itself took.
        #expect(end.map { $0 > ahead.now - 2000 } == true, "a dead token was handed out: \(story)")
        return "token"
    }
}
