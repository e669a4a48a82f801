import MildamMessenger
import MildamTerminal

extension Action {
    func examine() async throws -> ExitStatus {
        let findings: [Finding]
        if let relay = try await relayAlone() {
            findings = await Messenger.diagnose(relay: relay, authorityFile: invocation.value("authority"))
        } else {
            findings = await (try messenger()).diagnose()
        }
        try report.answer(["findings": findings]) {
            findings.map { line(of: $0) }.joined(separator: "\n")
        }
        let faults = findings.compactMap(\.fault)
        if faults.contains(.differs) { return .damaged }
        if faults.contains(.unreachable) { return .unreachable }
        return faults.isEmpty ? .done : .failed
    }

    /// The relay to which only the way is looked at: the one that is named, or told of while there is no account.
    private func relayAlone() async throws -> String? {
        if let named = invocation.value("relay") { return named }
        guard invocation.value("authority") == nil else {
            throw UsageError(
                .invalidValue(name: "--authority", expected: "given beside --relay; an account has its own"),
                command: "mildam doctor"
            )
        }
        guard let told = Console.variable("MILDAM_RELAY") else { return nil }
        do {
            _ = try await messenger().accountSummary()
        } catch MessengerError.noAccount {
            return told
        } catch {
            // What is wrong with the profile is a finding.
        }
        return nil
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
