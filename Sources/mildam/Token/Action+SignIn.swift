import MildamEnclave
import MildamKeychain
import MildamTerminal
import MildamTokens

let signInOperand = Operand("NAME", help: "The sign-in, as `mildam token list` shows it.")

let signInNeeded = CommandSpec.ExitNote(.refused, "the keychain is locked, or somebody has to sign in again")

let serverAway = CommandSpec.ExitNote(.unreachable, "the server cannot be reached")

/// What the commands of `mildam token` share.
extension Action {
    /// The name that is meant.
    ///
    /// - Throws: `UsageError` for one that no sign-in can have.
    func signInName() throws(UsageError) -> String {
        let name = invocation.operand("NAME")
        let isPlain = name.utf8.allSatisfy { (0x21...0x7E).contains($0) }
        guard isPlain, (1...64).contains(name.utf8.count), !name.hasPrefix("-") else {
            throw wrong("NAME", "1 to 64 characters without spaces")
        }
        return name
    }

    /// The sign-ins.
    func signIns() async throws -> SignInStore {
        SignInStore(keychain: try await openKeychain(), locks: try profileFolder()) { TPMEnclave(try .standard()) }
    }

    /// Says for which sign-in something failed.
    func naming<Value>(
        _ name: String,
        _ body: () async throws(TokenError) -> Value
    ) async throws(SignInFailure) -> Value {
        do throws(TokenError) { return try await body() } catch { throw SignInFailure(name: name, error: error) }
    }

    /// An access token that is good for a while.
    func accessToken(of name: String) async throws -> AccessCredential {
        let store = try await signIns()
        let manager = try store.manager(of: try store.find(name))
        return try await naming(name) { () throws(TokenError) in try await manager.validAccessToken() }
    }
}
