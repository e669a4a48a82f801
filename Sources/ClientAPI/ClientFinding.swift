import MildamIdentity

/// What was found at one step of an examination of the profile and its way to the relay.
public struct ClientFinding: Codable, Equatable, Sendable {
    /// The most bytes of what was found, and of what to do.
    public static let longest = 16_384
    /// The most findings of an answer.
    public static let most = 64

    /// The step: a code.
    public var step: String
    /// How it ended.
    public var verdict: String
    /// What was found.
    public var found: String
    /// What to do about it.
    public var remedy: String?
    /// What kind of fault it is, where it is wrong: a code.
    public var fault: String?
    /// The rooms that something is wrong with, where the step is about them.
    public var troubles: [RoomTrouble]?
    /// What it is by the codes of ``ClientError``; missing where none of them is meant.
    public var code: String?

    /// Makes a finding.
    public init(
        step: String,
        verdict: String,
        found: String,
        remedy: String? = nil,
        fault: String? = nil,
        troubles: [RoomTrouble]? = nil,
        code: String? = nil
    ) {
        self.step = step
        self.verdict = verdict
        self.found = found
        self.remedy = remedy
        self.fault = fault
        self.troubles = troubles
        self.code = code
    }

    /// - Throws: `outOfRange`.
    func check() throws(ClientLineDefect) {
        try ClientText.checkCode(step, "step")
        try ClientText.check(verdict, "verdict", 1...LineLimits.code)
        try ClientText.check(found, "found", 0...ClientFinding.longest)
        try ClientText.check(remedy, "remedy", 0...ClientFinding.longest)
        try ClientText.checkCode(fault, "fault")
        try ClientText.checkCode(code)
        guard (troubles ?? []).count <= LineLimits.rooms else { throw .outOfRange("troubles") }
        for trouble in troubles ?? [] { try trouble.check() }
    }
}
