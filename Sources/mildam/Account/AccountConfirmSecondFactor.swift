import MildamMessenger
import MildamTerminal

let accountConfirmSecondFactor = ActionCommand(
    ["account", "confirm-second-factor"],
    summary: "Confirm a second factor with a code of it.",
    options: SecretOption.code.options,
    examples: [.init("mildam account confirm-second-factor", "Asks for the code; shows the recovery codes.")],
    exitNotes: [.init(.wrongSecret, "the code is wrong"), .init(.refused, "there is none that waits")]
) { try await $0.confirmSecondFactor() }

extension Action {
    /// Confirms the second factor that waits.
    func confirmSecondFactor() async throws -> ExitStatus {
        try await prepareProfile()
        let codes: [String]
        do {
            codes = try await askingForCode("A code that your device shows now") { messenger, code in
                try await messenger.confirmSecondFactor(code)
            }
        } catch {
            if !isGiven(.code), Self.leavesFactorWaiting(error) {
                console.complain("mildam: the second factor waits: `mildam account confirm-second-factor`")
            }
            throw error
        }
        return try report.answer(["recoveryCodes": codes]) {
            "From here on logging in takes a code. Each of these stands in for one, once. Keep them apart from the "
                + "device; they are not shown again.\n" + codes.map { "  " + $0 }.joined(separator: "\n")
        }
    }

    /// Whether somebody left before a code was right.
    private static func leavesFactorWaiting(_ error: any Error) -> Bool {
        if case MessengerError.wrongCode = error { true } else { error is PromptError }
    }
}
