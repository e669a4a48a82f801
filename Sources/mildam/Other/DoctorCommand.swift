import MildamClientAPI
import MildamKeychain
import MildamMessenger
import MildamSystem
import MildamTerminal

let doctorCommand = ActionCommand(
    ["doctor"],
    summary: "Say what is wrong with the profile, and between here and the relay.",
    discussion: """
        Looks at the profile, its disk and its database, and goes the way to the relay step by step. Each step is a \
        line: "ok", "wrong" or "not tried", what was found, and what to do. Nothing is changed, but that the session's \
        tokens are renewed as every command does. Where the profile's client runs, it looks, and keeps the profile.

        Without an account, or with --relay, only the way to a relay is looked at.
        """,
    options: [
        OptionSpec("relay", value: .init("URL"), help: "Look at the way to this relay; no profile is asked."),
        authorityOption,
    ],
    examples: [
        .init("mildam doctor", "The profile's own relay."),
        .init("mildam doctor --relay https://chat.example.org:8443", "Before there is an account."),
    ],
    exitNotes: [
        .init(.failed, "something is wrong that the statuses below do not name"),
        .init(.damaged, "the profile is damaged; or another relay answers, or shows another key for this account"),
        .init(.unreachable, "nobody answers at the relay's address"),
    ]
) { action in
    let findings: [Finding]
    if let relay = action.invocation.value("relay") {
        findings = await Messenger.diagnose(
            relay: relay,
            authorityFile: action.invocation.value("authority"),
            onWait: WaitingLine(action.console).following
        )
    } else {
        guard action.invocation.value("authority") == nil else {
            throw action.wrong("--authority", "given beside --relay; an account has its own")
        }
        findings = try await action.findingsOfProfile().map(\.withWords)
    }
    try action.report.answer(["findings": findings]) {
        findings.map { action.line(of: $0) }.joined(separator: "\n")
    }
    let faults = findings.compactMap(\.fault)
    if faults.contains(.differs) || faults.contains(.damaged) { return .damaged }
    if faults.contains(.unreachable) { return .unreachable }
    return faults.isEmpty ? .done : .failed
}

extension Action {
    fileprivate func findingsOfProfile() async throws -> [Finding] {
        do {
            if let findings = await findingsOfClient() { return findings }
            return await (try await messenger(tellingSkew: false)).diagnose(otherwise: Console.variable("MILDAM_RELAY"))
        } catch {
            guard !(error is UsageError) else { throw error }
            guard let place = error.systemError?.distrust else {
                return Messenger.diagnose(unopened: Report.text(of: error))
            }
            return Messenger.diagnose(distrusting: place)
        }
    }

    /// What the client of the profile finds, which keeps the profile; `nil` where none of this version runs.
    private func findingsOfClient() async -> [Finding]? {
        guard !startsNoClient, let link = try? ClientProgram.running(at: try place()), link.hello.stage != .fresh,
            link.hello.build == ClientBuild(executable: ProgramIdentity.own.executable).name,
            case .findings(let steps)? = try? await link.ask(.examine, within: .seconds(180))
        else { return nil }
        return steps.compactMap { Finding($0) }
    }

    fileprivate func line(of finding: Finding) -> String {
        let style = console.style()
        let verdict = DisplayWidth.padded(finding.verdict.rawValue, to: 9)
        let said = shown([finding.found, finding.remedy].compactMap { $0 }.joined(separator: "; "))
        let line =
            "\(emphasized(verdict, finding.verdict, style)) \(DisplayWidth.padded(finding.step.rawValue, to: 11)) "
        guard console.isTerminal() else { return line + said }
        // A terminal would go on at its first column, below the verdicts.
        let indent = 22
        let lines = DisplayWidth.wrapped(said, to: max(20, console.width() - indent))
        return line + lines.joined(separator: "\n" + String(repeating: " ", count: indent))
    }

    private func emphasized(_ text: String, _ verdict: Finding.Verdict, _ style: Style) -> String {
        switch verdict {
        case .ok: style.apply(.green, to: text)
        case .wrong: style.apply(.red, to: text)
        case .notTried: style.dim(text)
        }
    }
}
