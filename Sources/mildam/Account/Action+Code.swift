import MildamMessenger
import MildamTerminal

let wrongSecretNote = CommandSpec.ExitNote(.wrongSecret, "the password or the code is wrong")

/// What proves that the account is its owner's: the password, and the second factor's code. Whoever else works with the profile
/// does not wait while somebody types: the profile is borrowed for what is done with the answer, and not before.
extension Action {
    /// Has the profile's key at hand, so that what that takes is asked before all else, and lets the profile go again.
    func prepareProfile() async throws {
        _ = try await openProfile()
        try await giveProfileBack()
    }

    /// Does something that may take a code: with the one that was given, and otherwise asked for when the relay wants one.
    func withCode(_ body: (Messenger, SecondFactorCode?) async throws -> Void) async throws {
        if !isGiven(.code) {
            do {
                return try await body(try await messenger(), nil)
            } catch {
                guard case MessengerError.secondFactorRequired = error else { throw error }
            }
        }
        try await askingForCode("Code, or recovery code") { try await body($0, SecondFactorCode(typed: $1)) }
    }

    /// Does something with a code; asks for another after a wrong one, unless it was given. Who types none gives up.
    func askingForCode<Value>(
        _ question: String,
        _ body: (Messenger, String) async throws -> Value
    ) async throws -> Value {
        var asked = question
        while true {
            try await giveProfileBack()
            let typed = try text(.code, asked)
            guard !typed.isEmpty || isGiven(.code) else { throw PromptError.ended }
            do {
                return try await body(try await messenger(), typed)
            } catch {
                guard case MessengerError.wrongCode = error, !isGiven(.code) else { throw error }
            }
            asked = "That is not right, or was used before. \(question)"
        }
    }

    /// Does something that may take an invitation: with the one that was given, and otherwise asked for when the relay wants
    /// one and somebody is there to ask.
    func withInvitation<Value: Sendable>(_ body: (Messenger, String?) async throws -> Value) async throws -> Value {
        guard !isGiven(.invitation) else {
            let given = try text(.invitation, "Invitation")
            return try await body(try await messenger(), given)
        }
        do {
            return try await body(try await messenger(), nil)
        } catch MessengerError.invitationRequired {
            try await giveProfileBack()
            guard let typed = try? text(.invitation, "Invitation") else { throw MessengerError.invitationRequired }
            return try await body(try await messenger(), typed)
        }
    }

    /// The account's password.
    func password(_ question: String = "Password") throws -> Password {
        let typed = try secret(.password, question)
        guard typed.count > 0 else { throw SecretRefusal.empty }
        return Password(copying: typed.span)
    }

    /// A new password of the account.
    func newPassword(_ option: SecretOption, _ question: String) throws -> Password {
        let typed = try newSecret(option, question)
        return Password(copying: typed.span)
    }

    /// What is good for a minute, or once, and need not be wiped.
    func text(_ option: SecretOption, _ question: String) throws -> String {
        let typed = try secret(option, question)
        return unsafe typed.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
