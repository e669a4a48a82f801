import MildamTerminal

let keychainGrants = ActionCommand(
    ["keychain", "grants"],
    summary: "List which programs may use which access groups.",
    options: KeychainOpening.question,
    examples: [.init("mildam keychain grants", "All of them.")]
) { action in
    let grants = try await action.unlockedAgent().grants()
    let lines = grants.map { GrantLine(program: $0.program.executable, user: $0.program.user, group: $0.group) }
        .sorted { ($0.program, $0.group) < ($1.program, $1.group) }
    return try action.report.answer(["grants": lines]) {
        lines.isEmpty ? "none" : lines.map { shown("\($0.program)  \($0.group)") }.joined(separator: "\n")
    }
}

private struct GrantLine: Encodable {
    var program: String
    var user: UInt32
    var group: String
}
