import HouseSupport
import MildamClientAPI
import MildamIdentity
import MildamMessenger
import MildamRelayAPI
import MildamSystem

/// How somebody attacks bob.
enum RoomAttack: String, CaseIterable, Sendable {
    /// A stranger, who asks him into one room after the other.
    case requestsRooms
    /// The same, into rooms that are called as his own are.
    case requestsNames
    /// A fellow member of the kitchen, who talks without end.
    case floodTexts
    /// The same, with texts that are as long as they may be.
    case floodLong
    /// The same, with what nobody can open.
    case floodRubbish

    /// Whether bob brings the attacker into the kitchen.
    var isOfFellow: Bool {
        switch self {
        case .requestsRooms, .requestsNames: false
        case .floodTexts, .floodLong, .floodRubbish: true
        }
    }
}

/// Somebody who attacks bob for a while, with a client of their own or straight at the relay.
final class RoomAttacker: Sendable {
    /// What came of the attack.
    struct Answers: Sendable {
        /// How much the relay took.
        var taken = 0
        /// How much it refused, or let wait.
        var refused = 0
    }

    private let task: Task<Answers, any Error>
    private let hasEnded: Lock<Bool>

    /// Begins.
    ///
    /// - Parameters:
    ///   - kitchen: where the attacker is a fellow member.
    ///   - sample: a text of its present epoch.
    ///   - seconds: how long it lasts at most.
    ///   - most: how much it does at most.
    init(
        _ attack: RoomAttack,
        by person: Person,
        in kitchen: RoomID?,
        like sample: RoomMessage?,
        seconds: Int,
        most: Int
    ) async throws {
        let act = try await RoomAttacker.act(attack, by: person, in: kitchen, like: sample)
        let hasEnded = Lock(false)
        self.hasEnded = hasEnded
        task = Task {
            defer { hasEnded.withLock { $0 = true } }
            let deadline = ContinuousClock.now + .seconds(seconds)
            var (answers, number) = (Answers(), 0)
            while number < most, ContinuousClock.now < deadline, !Task.isCancelled {
                number += 1
                if try await act(number) { answers.taken += 1 } else { answers.refused += 1 }
            }
            return answers
        }
    }

    deinit { task.cancel() }

    /// Whether it is not done yet.
    var isRunning: Bool { !hasEnded.withLock { $0 } }

    /// Waits for its end.
    func answers() async throws -> Answers { try await task.value }

    /// One step of an attack, by its number; it says whether the relay took it.
    private typealias Step = @Sendable (Int) async throws -> Bool

    private static func act(
        _ attack: RoomAttack,
        by person: Person,
        in kitchen: RoomID?,
        like sample: RoomMessage?
    ) async throws -> Step {
        let room = kitchen ?? .random()
        if attack == .floodRubbish, let sample {
            let (caller, last) = (try await RelayCaller(person), Lock(sample))
            return { _ in
                let sample = last.withLock { $0 }
                if try await Self.sayRubbish(like: sample, through: caller, in: room) { return true }
                // Its epoch may be over: others have spoken in the next one.
                if let next = try? await caller.lastText(of: room) { last.withLock { $0 = next } }
                return false
            }
        }
        let link = try await person.clientLink()
        switch attack {
        case .requestsRooms: return { _ in try await Self.ask(bobInto: "lair", over: link) }
        case .requestsNames:
            let names = ["attic", "kitchen", "bob", "alice", "\u{202E}nehctik"]
            return { number in try await Self.ask(bobInto: names[number % names.count], over: link) }
        case .floodTexts: return { number in try await Self.say("spam \(number)", in: room, over: link) }
        case .floodLong, .floodRubbish:
            let text = String(repeating: "spam ", count: LineLimits.text / 5)
            return { _ in try await Self.say(text, in: room, over: link) }
        }
    }

    /// Makes a room, and asks bob into it.
    private static func ask(bobInto name: String, over link: ClientLink) async throws -> Bool {
        guard case .room(let made)? = try await answer(to: .createRoom(name: name), from: link) else { return false }
        return try await isDone(.invite(room: made.room, handle: Handle("bob")), over: link)
    }

    private static func say(_ text: String, in room: RoomID, over link: ClientLink) async throws -> Bool {
        try await isDone(.send(room: room, text: text), over: link)
    }

    private static func isDone(_ ask: ClientAsk, over link: ClientLink) async throws -> Bool {
        guard case .wished(let wish)? = try await answer(to: ask, from: link),
            case .outcome(.done) = try await link.ask(.outcome(of: wish, seconds: 1))
        else { return false }
        return true
    }

    /// What the client answers; nothing, where it refuses.
    private static func answer(to ask: ClientAsk, from link: ClientLink) async throws -> ClientAnswer? {
        do throws(ClientLinkError) { return try await link.ask(ask) } catch {
            guard case .refused = error else { throw error }
            return nil
        }
    }

    private static func sayRubbish(
        like sample: RoomMessage,
        through caller: RelayCaller,
        in room: RoomID
    ) async throws -> Bool {
        let rubbish = (0..<64).map { _ in UInt8.random(in: 0...255) }
        do throws(MessengerError) {
            _ = try await caller.say(like: sample, ending: rubbish, in: room)
            return true
        } catch {
            // It is too much for the relay.
            try await Task.sleep(for: .milliseconds(20))
            return false
        }
    }
}
