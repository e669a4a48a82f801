import MildamClientAPI

/// What was found at one step of the way from this profile to its relay.
public struct Finding: Codable, Sendable, Equatable {
    /// A step; they are taken in this order.
    public enum Step: String, Codable, Sendable, CaseIterable {
        /// The profile's folder: there, private, readable, with an account in it.
        case profile
        /// The disk that the profile lies on: room, and whether it can be written to.
        case disk
        /// The profile's database: the file, and whether each sealed value opens.
        case database
        /// The form of the relay's address.
        case address
        /// The addresses of the relay's host.
        case name
        /// A TCP connection to one of them.
        case connection
        /// What TLS says of who answers.
        case certificate
        /// The answer of `GET /v1/relay`.
        case answer
        /// This machine's clock beside the relay's.
        case clock
        /// The relay's id beside the one that was pinned.
        case relay
        /// The session, and whether its tokens can be renewed.
        case session
        /// This account's identity key as the relay shows it, beside the pinned one.
        case identity
        /// The WebSocket for what comes live.
        case live
        /// What is kept of rooms of the first kind, and this device's mail beside what the relay has of it.
        case rooms
        /// The rooms that are MLS groups, and what is wrong with them.
        case groups
        /// What waits to be sent.
        case outbox
        /// What the relay is told of other accounts.
        case contacts
    }

    /// How a step ended.
    public enum Verdict: String, Codable, Sendable {
        /// As it should be.
        case ok
        /// Not as it should be.
        case wrong
        /// An earlier step stands in the way.
        case notTried = "not tried"
    }

    /// The kinds of fault that a caller can act on.
    public enum Fault: String, Codable, Sendable {
        /// Nobody answers.
        case unreachable
        /// Somebody else answers than was pinned, or shows another key.
        case differs
        /// What the profile holds is damaged.
        case damaged
        /// Anything else.
        case other
    }

    /// The step.
    public var step: Step
    /// How it ended.
    public var verdict: Verdict
    /// What was found. Parts of it may be a server's words. No token, no key.
    public var found: String
    /// What to do about it.
    public var remedy: String?
    /// What kind of fault it is, where it is wrong.
    public var fault: Fault?
    /// The rooms that something is wrong with, by codes, where the step is about them: whoever shows it has the words.
    public var troubles: [RoomTrouble]?
    /// What it is by the codes of ``ClientError``, or of what is wrong with a room; missing where none is meant.
    public var code: String?
}

/// The findings of an examination while it is under way.
struct Findings {
    private(set) var all: [Finding] = []

    mutating func ok(_ step: Finding.Step, _ found: String) {
        all.append(Finding(step: step, verdict: .ok, found: found))
    }

    mutating func wrong(
        _ step: Finding.Step,
        _ found: String,
        _ remedy: String?,
        _ fault: Finding.Fault = .other,
        code: String? = nil
    ) {
        var finding = Finding(step: step, verdict: .wrong, found: found, remedy: remedy, fault: fault)
        finding.code = code
        all.append(finding)
    }

    /// What keeps a step from being taken.
    mutating func wrong(
        _ step: Finding.Step,
        _ error: MessengerError,
        _ remedy: String?,
        _ fault: Finding.Fault = .other
    ) {
        wrong(step, error.description, remedy, fault, code: RoomFault(error).code)
    }

    mutating func wrong(_ step: Finding.Step, _ found: String, _ troubles: [RoomTrouble]) {
        var finding = Finding(step: step, verdict: .wrong, found: found, remedy: nil, fault: .other)
        finding.troubles = troubles
        finding.code = troubles.first?.code
        all.append(finding)
    }

    mutating func notTried(_ step: Finding.Step, _ found: String) {
        all.append(Finding(step: step, verdict: .notTried, found: found))
    }

    /// Steps that nothing else waits for.
    private static let besides: [Finding.Step] = [.disk, .database, .rooms, .groups, .outbox, .contacts]

    /// The findings in the order of the steps; of these steps each that was not come to counts as not tried.
    func finished(of steps: [Finding.Step]) -> [Finding] {
        let blocking =
            all.last { $0.verdict == .wrong && !Self.besides.contains($0.step) }?.step.rawValue
            ?? Finding.Step.profile.rawValue
        return steps.map { step in
            all.first { $0.step == step }
                ?? Finding(step: step, verdict: .notTried, found: "\(blocking) comes first")
        }
    }
}
