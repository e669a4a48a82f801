import MildamCrypto
import MildamTerminal

let vaultStorePassword = ActionCommand(
    ["vault", "store-password"],
    summary: "Print the password that stores are written under.",
    discussion:
        "It is random, made when it is first needed, and kept with the vault's keys. Whoever sees it can open every "
        + "store that `mildam vault export --table` wrote.",
    options: [vaultOption],
    examples: [.init("mildam vault store-password | program-that-reads-it", "To a program, and to no screen.")]
) { action in
    let password = SecretBytes(copying: try await action.openVault(changing: true).storePassword())
    if action.report.isJSON {
        let text = unsafe password.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
        return try action.report.answer(["password": text]) { "" }
    }
    try action.console.write(password.span)
    try action.console.print("")
    return .done
}
