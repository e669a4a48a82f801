import Glibc
import MildamKeychain
import MildamMessenger
import MildamOneTimeCode
import MildamRelayAPI
import MildamTerminal
import MildamWire

/// One-time codes beside the password.
extension Action {
    func showSecondFactor() async throws {
        let state = try await messenger().secondFactor()
        try report.answer(state) {
            guard state.isActive else { return "logging in takes the password alone" }
            let left = state.recoveryCodes == 1 ? "1 recovery code is" : "\(state.recoveryCodes) recovery codes are"
            return "logging in takes a code; \(left) left"
        }
    }

    /// Shows the secret; on a terminal it is confirmed at once.
    func addSecondFactor() async throws {
        let messenger = try await messenger()
        let secret = try await messenger.takeSecondFactor(try password("Password: ", option: "password-file"))
        let isConversation = !report.isJSON && isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1
        if isConversation {
            let code = try QRCode(text: Array(secret.uri.utf8).span)
            try writeOut(SecretValue(code.colouredTerminalText()))
        }
        try report.answer(["uri": secret.uri]) {
            secret.uri
                + (isConversation ? "" : "\nIt counts once it is confirmed: mildam account confirm-second-factor")
        }
        if isConversation { try await confirmSecondFactor() }
    }

    func confirmSecondFactor() async throws {
        let code = try secret("A code that your device shows now: ", option: "code-file") { SecondFactorText($0) }
        let codes = try await messenger().confirmSecondFactor(code.text)
        try report.answer(["recoveryCodes": codes]) {
            "From here on logging in takes a code. Each of these stands in for one, once. Keep them apart from the "
                + "device; they are not shown again.\n" + codes.map { "  " + $0 }.joined(separator: "\n")
        }
    }

    func removeSecondFactor() async throws {
        let messenger = try await messenger()
        let password = try password("Password: ", option: "password-file")
        try await messenger.removeSecondFactor(password, code: try code())
        try report.answer(["secondFactor": "removed"]) { "logging in takes the password alone from here on" }
    }

    /// Does something that may take a code: with the one that was given, and otherwise asked for when the relay wants one.
    func withCode(_ body: (SecondFactorCode?) async throws -> Void) async throws {
        guard invocation.value("code-file") == nil else { return try await body(try code()) }
        do {
            try await body(nil)
        } catch MessengerError.secondFactorRequired {
            try await body(try code())
        }
    }

    private func code() throws -> SecondFactorCode {
        SecondFactorCode(
            typed: try secret("Code, or recovery code: ", option: "code-file") { SecondFactorText($0) }.text
        )
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

/// A code as it was typed. It is good for a minute, or once.
private struct SecondFactorText {
    let text: String

    init(_ bytes: Span<UInt8>) {
        text = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
}
