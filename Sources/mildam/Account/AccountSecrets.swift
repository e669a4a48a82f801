import MildamMessenger
import MildamTerminal

let passwordOption = OptionSpec(
    "password-file",
    value: .init("FILE", completion: .file),
    help: "Take the password from the first line of a file, or of standard input for \"-\", in place of asking."
)

let codeOption = OptionSpec(
    "code-file",
    value: .init("FILE", completion: .file),
    help:
        "Take the second factor's code, or a recovery code, from the first line of a file, or of standard input for \"-\"."
)

let wrongSecretNote = CommandSpec.ExitNote(.wrongSecret, "the password or the code is wrong")

/// What proves that the account is its owner's: the password, and the second factor's code.
extension Action {
    /// Does something that may take a code: with the one that was given, and otherwise asked for when the relay wants one.
    func withCode(_ body: (SecondFactorCode?) async throws -> Void) async throws {
        guard invocation.value("code-file") == nil else { return try await body(try code()) }
        do {
            try await body(nil)
        } catch MessengerError.secondFactorRequired {
            try await body(try code())
        }
    }

    /// Does something that may take an invitation: with the one that was given, and otherwise asked for when the relay wants
    /// one and somebody is there to ask.
    func withInvitation<Value: Sendable>(_ body: (String?) async throws -> Value) async throws -> Value {
        func invitation() throws -> String {
            try secret("Invitation: ", option: "invitation-file") { TypedText($0) }.text
        }
        guard invocation.value("invitation-file") == nil else { return try await body(try invitation()) }
        do {
            return try await body(nil)
        } catch MessengerError.invitationRequired {
            guard let typed = try? invitation() else { throw MessengerError.invitationRequired }
            return try await body(typed)
        }
    }

    func code() throws -> SecondFactorCode {
        SecondFactorCode(typed: try codeText("Code, or recovery code: "))
    }

    /// A code that was typed, or that a file holds.
    func codeText(_ question: String) throws -> String {
        try secret(question, option: "code-file") { TypedText($0) }.text
    }

    /// A password that was typed, or that a file holds.
    func password(_ question: String, option: String, confirming: Bool = false) throws -> Password {
        let password = try secret(question, option: option) { Password(copying: $0) }
        if confirming, invocation.value(option) == nil {
            let again = try secret("Once more: ", option: option) { Password(copying: $0) }
            guard password == again else { throw PasswordRefusal.different }
        }
        guard !password.isEmpty else { throw PasswordRefusal.empty }
        return password
    }

    private func secret<Value>(
        _ question: String,
        option: String,
        _ take: (Span<UInt8>) -> Value
    ) throws -> Value {
        if let file = invocation.value(option) { return try PasswordFile.read(file, take) }
        return try Prompt().password(question, option: "--" + option, take)
    }
}

/// A code, an invitation or a link as it was typed, or stands in a file. It is good for a minute, or once.
struct TypedText {
    let text: String

    init(_ bytes: Span<UInt8>) {
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}

/// Why a password is not taken.
enum PasswordRefusal: EndsWithStatus, CustomStringConvertible {
    case empty, different

    var exitStatus: ExitStatus { .refused }

    var description: String {
        switch self {
        case .empty: "an empty password protects nothing"
        case .different: "the two passwords are not the same; nothing was done"
        }
    }
}
