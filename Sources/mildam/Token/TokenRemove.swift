import MildamTerminal
import MildamTokens

let tokenRemove = ActionCommand(
    ["token", "remove"],
    summary: "Forget a sign-in here, and tell the server nothing.",
    discussion: "Its tokens stay good until they end by themselves: `mildam token revoke` is better.",
    operands: [signInOperand],
    options: KeychainOpening.all,
    examples: [.init("mildam token remove work", "What was set up goes, too.")],
    exitNotes: [.init(.notFound, "there is no such sign-in")]
) { action in
    let name = try action.signInName()
    let store = try await action.signIns()
    if let entry = try action.undamaged(name, in: store) {
        let manager = try store.manager(of: entry)
        try await action.naming(name) { () throws(TokenError) in try await manager.forget() }
        try store.forget(entry)
    } else {
        try store.remove(name)
    }
    return try action.report.answer(["removed": name]) { shown("forgot \(name)") }
}

extension Action {
    /// What is kept under a name; `nil` for what is too damaged to be used, and can only be removed.
    fileprivate func undamaged(_ name: String, in store: SignInStore) throws -> SignInStore.Entry? {
        do { return try store.find(name) } catch is DamagedSignIn { return nil }
    }
}
