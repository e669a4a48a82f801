import MildamTerminal

let accountSecondFactor = ActionCommand(
    ["account", "second-factor"],
    summary: "Say whether logging in takes a code.",
    examples: [.init("mildam account second-factor", "And how many recovery codes are left.")]
) { action in
    let state = try await action.messenger().secondFactor()
    return try action.report.answer(state) {
        guard state.isActive else { return "logging in takes the password alone" }
        let left = state.recoveryCodes == 1 ? "1 recovery code is" : "\(state.recoveryCodes) recovery codes are"
        return "logging in takes a code; \(left) left"
    }
}
