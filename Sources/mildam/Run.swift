import FoundationEssentials
import MildamMessenger
import MildamSystem
import MildamTerminal

/// Understands the arguments and does what they ask for.
func run(_ arguments: [String]) async -> ExitStatus {
    let console = Console()
    let report = Report(console: console, isJSON: arguments.prefix { $0 != "--" }.contains("--json"))
    do {
        switch try table.parse(arguments) {
        case .version:
            try console.print(table.versionLine)
        case .help(let path):
            try console.print(
                table.help(for: path, width: console.width(), style: console.style()),
                terminator: ""
            )
        case .run(let invocation):
            let action = Action(invocation, console)
            do {
                return try await action.run()
            } catch  where error.systemError?.isReaderGone == true && action.outputPath == nil {
                return .done
            }
        }
        return .done
    } catch let error as SystemError where error.isReaderGone {
        return .done
    } catch {
        return report.failure(error)
    }
}

/// One command, with what it works on.
struct Action {
    let invocation: Invocation
    let console: Console
    let report: Report

    init(_ invocation: Invocation, _ console: Console) {
        self.invocation = invocation
        self.console = console
        report = Report(console: console, isJSON: invocation.flag("json"))
    }

    func run() async throws -> ExitStatus {
        try holdSecretDescriptors()
        switch invocation.path {
        case ["account", "create"]: try await createAccount()
        case ["account", "login"]: try await logIn()
        case ["account", "logout"]: try await logOut()
        case ["account", "show"]: try await showAccount()
        case ["account", "renew-keys"]: return try await renewKeys()
        case ["account", "sessions"]: try await listSessions()
        case ["account", "end-session"]: try await endSessions()
        case ["account", "log"]: try await showAccountLog()
        case ["account", "password"]: try await changePassword()
        case ["account", "delete"]: try await deleteAccount()
        case ["account", "second-factor"]: try await showSecondFactor()
        case ["account", "add-second-factor"]: try await addSecondFactor()
        case ["account", "confirm-second-factor"]: try await confirmSecondFactor()
        case ["account", "remove-second-factor"]: try await removeSecondFactor()
        case ["contact", "list"]: try await listContacts()
        case ["contact", "accept"]: try await acceptContact()
        case ["room", "create"]: try await createRoom()
        case ["room", "invite"]: try await invite()
        case ["room", "join"]: try await join()
        case ["room", "list"]: try await listRooms()
        case ["room", "show"]: try await showRoom()
        case ["room", "remove"]: try await removeFromRoom()
        case ["room", "mend"]: try await mendRoom()
        case ["room", "leave"]: try await leaveRoom()
        case ["send"]: return try await send()
        case ["read"]: return try await read()
        case ["watch"]: try await watch()
        case ["chat"]: return try await chat()
        case ["save"]: try await save()
        case ["file", "keygen"]: try generateKey()
        case ["file", "encrypt"]: try encryptFile()
        case ["file", "decrypt"]: try decryptFile()
        case ["file", "convert"]: try convertFile()
        case ["file", "inspect"]: return try inspectFiles()
        case ["vault", "init"]: try await makeVault()
        case ["vault", "add"]: return try await addToVault()
        case ["vault", "list"]: try await listVault()
        case ["vault", "search"]: try await searchVault()
        case ["vault", "get"]: try await getFromVault()
        case ["vault", "remove"]: try await removeFromVault()
        case ["vault", "move"]: try await moveInVault()
        case ["vault", "tag"]: try await tagInVault()
        case ["vault", "verify"]: return try await verifyVault()
        case ["vault", "rekey"]: try await rekeyVault()
        case ["vault", "export"]: return try await exportVault()
        case ["vault", "import"]: return try await importStore()
        case ["vault", "store-password"]: try await printStorePassword()
        case ["vault", "repair"]: return try await repairVault()
        case ["outbox", "list"]: try await listOutbox()
        case ["outbox", "drop"]: try await dropFromOutbox()
        case ["keychain", "create"]: try await createKeychain()
        case ["keychain", "set"]: try await setSecret()
        case ["keychain", "get"]: try await getSecret()
        case ["keychain", "list"]: try await listSecrets()
        case ["keychain", "remove"]: try await removeSecret()
        case ["keychain", "import"]: return try await importItems()
        case ["keychain", "export"]: return try await exportItems()
        case ["keychain", "verify"]: return try await verifyKeychain()
        case ["keychain", "repair"]: try await repairKeychain()
        case ["keychain", "slots"]: try listSlots()
        case ["keychain", "passphrase"]: try await changePassphrase()
        case ["keychain", "remove-slot"]: try await removeSlot()
        case ["keychain", "recovery-code"]: try await makeRecoveryCode()
        case ["keychain", "grants"]: try await listGrants()
        case ["keychain", "grant"]: try await grantGroup()
        case ["keychain", "revoke"]: try await revokeGroup()
        case ["keychain", "audit"]: try await showAuditLog()
        case ["keychain", "agent"]: try runAgent()
        case ["otp", "add"]: return try await addToken()
        case ["otp", "list"]: try await listTokens()
        case ["otp", "code"]: try await printCode()
        case ["otp", "import"]: return try await importTokens()
        case ["otp", "export"]: try await exportTokens()
        case ["otp", "qr"]: try await showQR()
        case ["otp", "remove"]: try await removeToken()
        case ["token", "login"]: try await logInAtServer()
        case ["token", "status"]: return try await showSignIn()
        case ["token", "get"]: try await printAccessToken()
        case ["token", "exec"]: try await runWithAccessToken()
        case ["token", "revoke"]: try await revokeSignIn()
        case ["token", "list"]: return try await listSignIns()
        case ["token", "remove"]: try await removeSignIn()
        case ["enclave", "status"]: try await showEnclave()
        case ["enclave", "create"]: try await createEnclaveKey()
        case ["enclave", "list"]: return try await listEnclaveKeys()
        case ["enclave", "delete"]: return try await deleteEnclaveKey()
        case ["enclave", "test"]: try await testEnclave()
        case ["enclave", "encrypt"]: try await encryptPacket()
        case ["enclave", "decrypt"]: try await decryptPacket()
        case ["unlock"]: try await unlockKeychain()
        case ["lock"]: try lockKeychain()
        case ["doctor"]: return try await examine()
        case ["completion"]: try printCompletion()
        case ["manual"]: try console.print(table.manualPage, terminator: "")
        case ["reference"]: try console.print(table.referencePage, terminator: "")
        default: throw UsageError(.unknownCommand(invocation.path.joined(separator: " ")), command: table.program)
        }
        return .done
    }

    private func printCompletion() throws {
        switch invocation.operand("SHELL") {
        case "bash": try console.print(table.bashCompletion, terminator: "")
        case "zsh": try console.print(table.zshCompletion, terminator: "")
        default: try console.print(table.fishCompletion, terminator: "")
        }
    }
}
