import Glibc
import MildamCrypto
import MildamKeychain
import MildamSecretService
import MildamSystem
import MildamTerminal

Console.ignoreBrokenPipes()
let console = Console()
let status: ExitStatus
do {
    switch try keyringTable.parse(Array(CommandLine.arguments.dropFirst())) {
    case .help(let path):
        try console.print(keyringTable.help(for: path, width: console.width(), style: console.style()), terminator: "")
        status = .done
    case .version:
        try console.print(keyringTable.versionLine)
        status = .done
    case .run where console.isTerminal():
        console.complain("mildam-keyring: every secret would stand on this terminal; mildam keychain import reads it")
        status = .usage
    case .run:
        try OwnProcess.hideMemory()
        status = try read(for: console)
    }
} catch let error as UsageError {
    console.complain("\(error)")
    status = .usage
} catch {
    status = .failed
}
// Without the farewells of the desktop's libraries.
_exit(status.rawValue)

/// Reads the keyring and writes the answer.
func read(for console: Console) throws(SystemError) -> ExitStatus {
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
