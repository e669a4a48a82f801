import MildamClientAPI

extension ClientFinding {
    /// A finding as it is said to windows.
    init(_ finding: Finding) {
        self.init(
            step: finding.step.rawValue,
            verdict: finding.verdict.rawValue,
            found: RoomItem.beginning(of: finding.found, bytes: ClientFinding.longest),
            remedy: finding.remedy.map { RoomItem.beginning(of: $0, bytes: ClientFinding.longest) },
            fault: finding.fault?.rawValue,
            troubles: finding.troubles,
            code: finding.code
        )
    }
}

extension Finding {
    /// A finding as a client has said it; `nil` for a step that this version does not know.
    public init?(_ said: ClientFinding) {
        guard let step = Step(rawValue: said.step), let verdict = Verdict(rawValue: said.verdict) else { return nil }
        self.init(
            step: step,
            verdict: verdict,
            found: said.found,
            remedy: said.remedy,
            fault: said.fault.map { Fault(rawValue: $0) ?? .other },
            troubles: said.troubles,
            code: said.code
        )
    }
}
