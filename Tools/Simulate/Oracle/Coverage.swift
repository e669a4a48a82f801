/// How often each thing happened that a set of runs has to have seen.
package struct Coverage: Sendable {
    /// What is counted.
    package struct Counter: Hashable, Sendable {
        /// Its name.
        package let name: String
        /// The test that shows it, where a world without liars and with one device for each account does not come to it.
        package let directTest: String?
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
        case messagesLost = "relay:messages-lost"
        case profilePutBack = "client:profile-put-back"
        case clockSet = "client:clock-set"
        case retention = "relay:retention"
    }

    /// What is wanted when others were first.
    static let overtaken = [
        "say", "leave", "invite", "remove", "role", "policy", "timer", "rename", "renew-keys", "renew-room",
        "removing-leavers", "removing-revoked", "new-leaf", "path", "coming-back",
    ].map { "stale-epoch:\($0)" }

    /// Causes that an honest world comes to.
    static let honestCauses = [
        "behind-retention", "own-state-older", "welcome-does-not-open", "before-coming-in", "lost-at-restore",
    ]

    /// Causes that take a liar, a later version or a damaged disk, and the tests that show them.
    private static let otherCauses = [
        ("commit-not-processable", "RepairTests.badCommit"), ("forged", "RepairTests.badMessages"),
        ("mislabelled", "RepairTests.badMessages"), ("different-history", "CauseTests.differentHistory"),
        ("repeated", "BadRelayTests.ownMessageTwice"), ("newer", "CauseTests.newer"),
        ("sender-no-member", "CauseTests.senderNoMember"), ("rule-broken", "CauseTests.ruleBroken"),
        ("records-damaged", "DiskDamageTests.damagedRow"),
        ("due-proposal-refused", "CauseTests.dueProposalRefused"),
    ]

    /// Everything that is counted, in the order of the table.
    package static let counters: [Counter] = {
        var names = Operation.Deed.allCases.map { "deed:\($0.rawValue)" }
        names += Fault.allCases.map(\.rawValue)
        names += EndPoint.allCases.map(\.rawValue)
        names += overtaken
        names += ["proposals-due", "commit-rate", "room-asleep"]
        names += honestCauses.map { "cause:\($0)" }
        return names.map { Counter(name: $0, directTest: nil) }
            + otherCauses.map { Counter(name: "cause:\($0.0)", directTest: $0.1) }
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

    /// What has to happen in many runs, and did not.
    package var missing: [String] {
        Coverage.counters.filter { $0.directTest == nil && self[$0] == 0 }.map(\.name)
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
