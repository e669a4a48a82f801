import MildamMessenger
import MildamTerminal

let wrongSecretNote = CommandSpec.ExitNote(.wrongSecret, "the password or the code is wrong")

/// What proves that the account is its owner's: the password, and the second factor's code.
extension Action {
    /// Does something that may take a code: with the one that was given, and otherwise asked for when the relay wants one.
    func withCode(_ body: (SecondFactorCode?) async throws -> Void) async throws {
        if !isGiven(.code) {
            do {
                return try await body(nil)
            } catch {
                guard case MessengerError.secondFactorRequired = error else { throw error }
            }
        }
        try await askingForCode("Code, or recovery code") { try await body(SecondFactorCode(typed: $0)) }
    }

    /// Does something with a code; asks for another after a wrong one, unless it was given. Who types none gives up.
    func askingForCode<Value>(_ question: String, _ body: (String) async throws -> Value) async throws -> Value {
        var asked = question
        while true {
            let typed = try text(.code, asked)
            guard !typed.isEmpty || isGiven(.code) else { throw PromptError.ended }
            do {
                return try await body(typed)
            } catch {
                guard case MessengerError.wrongCode = error, !isGiven(.code) else { throw error }
            }
            asked = "That is not right, or was used before. \(question)"
        }
    }

    /// Does something that may take an invitation: with the one that was given, and otherwise asked for when the relay wants
    /// one and somebody is there to ask.
    func withInvitation<Value: Sendable>(_ body: (String?) async throws -> Value) async throws -> Value {
        guard !isGiven(.invitation) else { return try await body(try text(.invitation, "Invitation")) }
        do {
            return try await body(nil)
        } catch MessengerError.invitationRequired {
            guard let typed = try? text(.invitation, "Invitation") else { throw MessengerError.invitationRequired }
            return try await body(typed)
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
