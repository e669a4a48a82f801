import MildamTerminal

let keychainAudit = ActionCommand(
    ["keychain", "audit"],
    summary: "Show denials, grants, and readings past the agent.",
    options: KeychainOpening.question,
    examples: [.init("mildam keychain audit", "Oldest first.")]
) { action in
    let lines = try await action.unlockedAgent().auditLog().map { record in
        AuditLine(
            time: action.time(record.time),
            event: "\(record.event)",
            program: record.program.executable,
            group: record.group
        )
    }
    return try action.report.answer(["records": lines]) {
        lines.isEmpty
            ? "nothing"
            : lines.map { shown("\($0.time)  \($0.event)  \($0.program)  \($0.group)") }.joined(separator: "\n")
    }
}

private struct AuditLine: Encodable {
    var time: String
    var event: String
    var program: String
    var group: String
}
