/// How often each thing happened that a set of runs has to have seen.
package struct Coverage: Sendable {
    /// What is counted.
    package struct Counter: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// The test that shows it, where a world without liars and with one device for each account does not come to it.
        package let directTest: String?
        /// Whether only the relay's own code comes to it, and not the model of it.
        package var isOfStore = false
    }

    /// Where a program ends.
    enum EndPoint: String, CaseIterable {
        case beforeStage = "end:before-stage"
        case betweenStageAndSend = "end:between-stage-and-send"
        case betweenSendAndAnswer = "end:between-send-and-answer"
        case betweenAnswerAndEcho = "end:between-answer-and-echo"
        case atRest = "end:at-rest"
    }

    /// What becomes of requests, answers, connections and the relay.
    enum Fault: String, CaseIterable {
        case requestLost = "network:request-lost"
        case answerLost = "network:answer-lost"
        case delayed = "network:delayed"
        case doubled = "network:doubled"
        case halfOpen = "network:half-open"
        case partition = "network:partition"
        case relayDown = "relay:down"
        case relayEndedBeforeStoring = "relay:ended-before-storing"
        case relayEndedAfterStoring = "relay:ended-after-storing"
        case relayPutBack = "relay:put-back"
        case awayWhilePutBack = "relay:put-back-while-some-are-away"
        case messagesLost = "relay:messages-lost"
        case profilePutBack = "client:profile-put-back"
        case clockSet = "client:clock-set"
        case diskFull = "client:disk-full"
        case readFromForms = "client:read-from-forms"
        case fileNamed = "client:file-named"
        case accepted = "invitation:accepted"
        case declined = "invitation:declined"
        case unanswered = "invitation:unanswered"
        case accountDeleted = "account:deleted"
        case strangersWelcome = "invitation:of-a-stranger"
        case relayFull = "relay:full"
        case relayClockSet = "relay:clock-set"
        case retention = "relay:retention"
        case shutOut = "relay:shut-out"
        case groupInfoAsked = "relay:group-info-asked"
    }

    /// What is wanted when others were first.
    static let overtaken = [
        "say", "leave", "invite", "remove", "role", "policy", "timer", "rename", "renew-keys", "renew-room",
        "removing-leavers", "removing-revoked", "removing-closed", "new-leaf", "path", "coming-back",
    ].map { "stale-epoch:\($0)" }

    /// Causes that an honest world comes to.
    static let honestCauses = [
        "behind-retention", "own-state-older", "welcome-does-not-open", "before-coming-in", "lost-at-restore",
        "repeated",
    ]

    /// What people wish that comes true.
    static let done: [String] = [
        "say", "accept", "leave", "invite", "remove", "role", "policy", "timer", "rename", "renew-keys", "renew-room",
    ].map { "done:\($0)" }

    /// What people are shown, and told.
    static let shown: [String] =
        ["content", "members", "settings", "came-back", "renewed", "leaving"].map { "shown:\($0)" }
        + ["trouble-is-over", "state-was-put-back", "relay-went-back", "removed"].map { "told:\($0)" }

    /// What takes a liar, a later version or a damaged disk, or comes too seldom to be waited for; and the tests that show it.
    private static let otherWorlds: [(String, String)] = [
        ("cause:commit-not-processable", "RepairTests.badCommit"), ("cause:forged", "RepairTests.badMessages"),
        ("cause:mislabelled", "RepairTests.badMessages"), ("cause:different-history", "CauseTests.differentHistory"),
        ("cause:newer", "CauseTests.newer"),
        ("cause:sender-no-member", "CauseTests.senderNoMember"), ("cause:rule-broken", "CauseTests.ruleBroken"),
        ("cause:records-damaged", "DiskDamageTests.damagedRow"),
        ("cause:due-proposal-refused", "CauseTests.dueProposalRefused"),
        ("told:stopped", "RepairTests.tooOften"), ("told:keys-are-used-elsewhere", "RepairTests.keysUsedElsewhere"),
        ("told:history-stated-otherwise", "HistoryTests.different"),
    ]

    /// Everything that is counted, in the order of the table (`Documentation/simulation.md`).
    package static let counters: [Counter] = {
        let ofStore: Set<String> = [Fault.shutOut.rawValue, Fault.groupInfoAsked.rawValue]
        let others = Set(otherWorlds.map { $0.0 })
        var names = Operation.Deed.allCases.map { "deed:\($0.rawValue)" }
        names += Fault.allCases.map(\.rawValue).filter { !others.contains($0) }
        names += EndPoint.allCases.map(\.rawValue)
        names += Contest.allCases.map(\.counter)
        names += overtaken
        names += ["proposals-due", "commit-rate", "room-asleep", "joiner-compares"]
        names += done
        names += shown
        names += honestCauses.map { "cause:\($0)" }
        return names.map { Counter(name: $0, directTest: nil, isOfStore: ofStore.contains($0)) }
            + otherWorlds.map { Counter(name: $0.0, directTest: $0.1) }
    }()

    private var counts: [String: Int] = [:]

    /// Nothing has happened.
    package init() {}

    mutating func count(_ name: String) { counts[name, default: 0] += 1 }

    mutating func count(_ fault: Fault) { count(fault.rawValue) }

    /// How often something happened.
    package subscript(counter: Counter) -> Int { counts[counter.name] ?? 0 }

    /// The same with what happened in another run.
    package mutating func add(_ other: Coverage) { counts.merge(other.counts) { $0 + $1 } }

    /// What has to happen in many runs with a relay, and did not.
    package func missing(with relay: RelayKind) -> [String] {
        let reached = Coverage.counters.filter { $0.directTest == nil && (relay == .store || !$0.isOfStore) }
        return reached.filter { self[$0] == 0 }.map(\.name)
    }

    /// The counts as a JSON object.
    package var json: String {
        let fields = Coverage.counters.map { "\"\($0.name)\":\(self[$0])" }
        return "{\(fields.joined(separator: ","))}"
    }

    /// The table: how often each thing happened, and which test shows what did not and cannot.
    package var table: [String] {
        let width = Coverage.counters.map { $0.name.count }.max() ?? 0
        return Coverage.counters.map { counter in
            let name = counter.name + String(repeating: " ", count: width - counter.name.count)
            let count = String(self[counter])
            let pad = String(repeating: " ", count: max(0, 9 - count.count))
            return "\(name)\(pad)\(count)" + (counter.directTest.map { "  shown by \($0)" } ?? "")
        }
    }
}
