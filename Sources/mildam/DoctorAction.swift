import MildamMessenger
import MildamTerminal

extension Action {
    func examine() async throws -> ExitStatus {
        let findings: [Finding]
        if let relay = invocation.value("relay") {
            findings = await Messenger.diagnose(relay: relay, authorityFile: invocation.value("authority"))
        } else {
            guard invocation.value("authority") == nil else {
                throw UsageError(
                    .invalidValue(name: "--authority", expected: "given beside --relay; an account has its own"),
                    command: "mildam doctor"
                )
            }
            findings = await (try await messenger()).diagnose(
                otherwise: Console.variable("MILDAM_RELAY")
            )
        }
        try report.answer(["findings": findings]) {
            findings.map { line(of: $0) }.joined(separator: "\n")
        }
        let faults = findings.compactMap(\.fault)
        if faults.contains(.differs) { return .damaged }
        if faults.contains(.unreachable) { return .unreachable }
        return faults.isEmpty ? .done : .failed
    }

    private func line(of finding: Finding) -> String {
        let style = console.style()
        let verdict = DisplayWidth.padded(finding.verdict.rawValue, to: 9)
        let said = shown([finding.found, finding.remedy].compactMap { $0 }.joined(separator: "; "))
        let line =
            "\(emphasized(verdict, finding.verdict, style)) \(DisplayWidth.padded(finding.step.rawValue, to: 11)) "
        return line + said
    }

    private func emphasized(_ text: String, _ verdict: Finding.Verdict, _ style: Style) -> String {
        switch verdict {
        case .ok: style.apply(.green, to: text)
        case .wrong: style.apply(.red, to: text)
        case .notTried: style.dim(text)
        }
    }
}
