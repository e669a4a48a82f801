import MildamOTP
import MildamOneTimeCode
import MildamTerminal

/// What a new token is called.
enum TokenNaming {
    static let options = [
        OptionSpec("issuer", value: .init("NAME"), help: "Who gave the token out, in place of what it says itself."),
        OptionSpec("account", value: .init("NAME"), help: "Whose account it is, in place of what it says itself."),
    ]

    /// The bits that a secret alone has at least: a shorter text is a word, or a part of a secret.
    static let leastBitCount = 80
}

extension Action {
    /// The tokens of a text, under the names that the options give.
    ///
    /// - Throws: `NoTokenText`; `UsageError` for one name for several tokens.
    func namedTokens(_ text: Span<UInt8>) throws -> [TokenImport.Row] {
        guard ImportFormat.detect(text) != nil else { return [.init(number: 1, token: try bareToken(text))] }
        let rows = try TokenImport(text).rows
        guard givenIssuer != nil || givenAccount != nil else { return rows }
        guard rows.count == 1 else {
            throw wrong(givenAccount == nil ? "--issuer" : "--account", "left out: these are several tokens")
        }
        return try rows.map { row in
            guard case .success(let token) = row.token else { return row }
            return .init(number: row.number, token: try renamed(token))
        }
    }

    private var givenIssuer: String? { invocation.value("issuer") }
    private var givenAccount: String? { invocation.value("account") }

    /// A token of a secret in base32, as people are told it, whose name is asked for unless the options give one.
    private func bareToken(_ text: Span<UInt8>) throws -> OneTimePassword {
        guard let unnamed = try? OneTimePassword(base32: text),
            unnamed.secret.bitCount >= TokenNaming.leastBitCount
        else { throw NoTokenText() }
        let token = givenIssuer == nil && givenAccount == nil ? try asked(unnamed) : try renamed(unnamed)
        guard !token.issuer.isEmpty || !token.account.isEmpty else { throw TokenError.missing(.account) }
        return token
    }

    private func asked(_ token: OneTimePassword) throws -> OneTimePassword {
        let issuer = try Prompt().line("Issuer, who gave it out: ", option: "--issuer and --account")
        let account = try Prompt().line("Account there: ", option: "--account")
        return try token.renamed(issuer: issuer, account: account)
    }

    private func renamed(_ token: OneTimePassword) throws(TokenError) -> OneTimePassword {
        try token.renamed(issuer: givenIssuer ?? token.issuer, account: givenAccount ?? token.account)
    }
}

extension OneTimePassword {
    fileprivate func renamed(issuer: String, account: String) throws(TokenError) -> OneTimePassword {
        try OneTimePassword(
            secret: secret,
            kind: kind,
            algorithm: algorithm,
            digits: digits,
            issuer: issuer,
            account: account
        )
    }
}

/// A text that holds no token.
struct NoTokenText: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.damaged
    var description: String {
        """
        this is no token: an otpauth:// URI is one, an export of Google Authenticator, or a secret in base32 of at \
        least \(TokenNaming.leastBitCount / 5) letters
        """
    }
}
