import MildamCrypto
import MildamKeychain
import MildamSecretService
import MildamSystem
import MildamTerminal

/// `mildam-keyring read`.
let readCommand = KeyringCommand(
    ["read"],
    summary: "Write every item to standard output, for mildam.",
    discussion: """
        What it writes holds every secret of the keyring, and is for a program to read: on a terminal it refuses. \
        Nobody is asked to unlock anything: what is locked is named, without its secret.
        """,
    examples: [.init("mildam keychain import --format secret-service", "What reads it.")],
    exitNotes: [.init(.failed, "there is no session bus, or no keyring on it; the answer says why")]
) { console in
    guard !console.isTerminal() else {
        console.complain("mildam-keyring: every secret would stand on this terminal; mildam keychain import reads it")
        return .usage
    }
    try OwnProcess.hideMemory()
    return try read(for: console)
}

/// Reads the keyring and writes the answer.
private func read(for console: Console) throws(SystemError) -> ExitStatus {
    let answer: KeyringAnswer
    let status: ExitStatus
    do throws(SecretServiceError) {
        answer = .logins(try SecretServiceImport.read())
        status = .done
    } catch {
        answer = .failure(error.description)
        status = .failed
    }
    let bytes = answer.bytes
    try console.write(bytes.span)
    return status
}
