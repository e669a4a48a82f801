import MildamCrypto
import MildamKeychain
import MildamTerminal
import MildamTokens

/// Sign-ins: used, shown, ended, forgotten.
extension Action {
    func showSignIn() async throws -> ExitStatus {
        let store = try await signIns()
        let entry = try store.find(try signInName())
        let manager = try store.manager(of: entry)
        let tokens = try await naming(entry.signIn.name) { () throws(TokenError) in try await manager.status() }
        let status = SignInStatus(entry.signIn, tokens)
        try report.answer(status) { status.text }
        return status.signedIn ? .done : .refused
    }

    func listSignIns() async throws -> ExitStatus {
        let kept = try await signIns().all()
        let answer = SignInList(signIns: kept.signIns.map(SignInLine.init), damaged: kept.damaged)
        if !report.isJSON {
            for name in answer.damaged { console.complain(shown("mildam: \(DamagedSignIn(name: name))")) }
        }
        try report.answer(answer) {
            answer.signIns.isEmpty
                ? "nothing"
                : answer.signIns.map { shown("\($0.name)  \($0.server)  \($0.grant)") }.joined(separator: "\n")
        }
        return answer.damaged.isEmpty ? .done : .damaged
    }

    func printAccessToken() async throws {
        guard !console.isTerminal() || invocation.flag("reveal") else {
            throw wrong("token get", "a pipe, or --reveal on a terminal")
        }
        let name = try signInName()
        let credential = try await accessToken(of: name)
        guard report.isJSON else { return try writeOut(credential.token) }
        let answer = TokenAnswer(name: name, accessToken: credential.token.text, tokenType: credential.scheme.name)
        try report.answer(answer) { "" }
    }

    func runWithAccessToken() async throws {
        let variable = try variableName()
        let credential = try await accessToken(of: try signInName())
        try Successor(invocation.operands("COMMAND")).take(over: variable, credential.token)
    }

    func revokeSignIn() async throws {
        let store = try await signIns()
        let entry = try store.find(try signInName())
        let name = entry.signIn.name
        guard entry.signIn.revocationEndpoint != nil else { throw NoRevocation(name: name) }
        let manager = try store.manager(of: entry)
        let isRevoked = try await naming(name) { () throws(TokenError) in try await manager.revoke() }
        try store.forget(entry)
        try report.answer(RevocationAnswer(revoked: isRevoked, forgotten: name)) {
            isRevoked ? "ended by the server, and forgotten" : "there were no tokens; forgotten"
        }
    }

    func removeSignIn() async throws {
        let name = try signInName()
        let store = try await signIns()
        if let entry = try undamaged(name, in: store) {
            let manager = try store.manager(of: entry)
            try await naming(name) { () throws(TokenError) in try await manager.forget() }
            try store.forget(entry)
        } else {
            try store.remove(name)
        }
        try report.answer(["removed": name]) { shown("forgot \(name)") }
    }

    // MARK: Parts

    private func accessToken(of name: String) async throws -> AccessCredential {
        let store = try await signIns()
        let manager = try store.manager(of: try store.find(name))
        return try await naming(name) { () throws(TokenError) in try await manager.validAccessToken() }
    }

    /// What is kept under a name; `nil` for what is too damaged to be used, and can only be removed.
    private func undamaged(_ name: String, in store: SignInStore) throws -> SignInStore.Entry? {
        do { return try store.find(name) } catch is DamagedSignIn { return nil }
    }

    private func variableName() throws(UsageError) -> String {
        let name = invocation.value("env") ?? "ACCESS_TOKEN"
        let isPlain = name.utf8.allSatisfy {
            (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F
        }
        guard isPlain, let first = name.utf8.first, !(0x30...0x39).contains(first) else {
            throw wrong("--env", "letters, digits and '_', no digit first")
        }
        return name
    }

    private struct SignInList: Encodable {
        var signIns: [SignInLine]
        var damaged: [String]
    }

    private struct SignInLine: Encodable {
        var name: String
        var server: String
        var grant: String

        init(_ signIn: SignIn) {
            name = signIn.name
            server = signIn.issuer ?? signIn.tokenEndpoint
            grant = signIn.way.rawValue
        }
    }

    private struct TokenAnswer: Encodable {
        var name: String
        var accessToken: String?
        var tokenType: String
    }

    private struct RevocationAnswer: Encodable {
        var revoked: Bool
        var forgotten: String
    }
}
