/// What a person shows beside the password where the account has a second factor.
public enum SecondFactorCode: Sendable {
    /// Six digits, of now.
    case code(String)
    /// One of those that stand in for lost codes; each is good once.
    case recoveryCode(String)

    /// What a person typed: six digits are a code, anything else a recovery code.
    public init(typed text: String) {
        let digits = text.filter { !$0.isWhitespace }
        let isCode = digits.utf8.count == 6 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
        self = isCode ? .code(digits) : .recoveryCode(text)
    }

    var otp: String? { if case .code(let code) = self { code } else { nil } }
    var recoveryCode: String? { if case .recoveryCode(let code) = self { code } else { nil } }
}
