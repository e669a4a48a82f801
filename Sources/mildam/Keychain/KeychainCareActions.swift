import FoundationEssentials
import Glibc
import MildamCrypto
import MildamKeychain
import MildamSystem
import MildamTerminal

/// The keychain as a whole: made, looked at, mended, and what opens it.
extension Action {
    func createKeychain() async throws {
        let kind = try kindToCreate()
        let path = try keychainPath()
        guard !WholeFile.exists(path) else { throw KeychainError.alreadyExists(path: path) }
        let secret = try secret(of: kind, kind == .enclavePIN ? "New PIN" : "New passphrase", confirming: true)
        let keychain = try await LocalKeychain.create(at: path, secret: secret, options: try keychainOptions())
        if invocation.flag("counter") { try await keychain.armCounter() }
        if kind == .enclaveUnattended {
            console.complain("mildam: whoever can use this machine can open this keychain")
        }
        var code: String?
        if !invocation.flag("no-recovery-code") {
            let new = RecoveryCode()
            try await keychain.addSlot(.recoveryCode(new), authorizedBy: secret)
            code = new.text.text
        }
        let shownCode = code
        try report.answer(CreationAnswer(keychain: path, recoveryCode: shownCode)) {
            let made = "made a keychain in \(shown(path))"
            guard let shownCode else { return made }
            return made + "\nrecovery code, to be written down now: " + shownCode
        }
    }

    private struct CreationAnswer: Encodable {
        var keychain: String
        var recoveryCode: String?
    }

    private func kindToCreate() throws -> SlotKind {
        switch invocation.value("tpm") {
        case nil: return .passphrase
        case "pin": return .enclavePIN
        case "passphrase": return .enclaveAndPassphrase
        case "unattended":
            guard invocation.flag("unattended") else {
                throw UsageError(
                    .invalidValue(name: "--tpm unattended", expected: "--unattended beside it"),
                    command: invocation.fullName
                )
            }
            return .enclaveUnattended
        default:
            throw UsageError(
                .invalidValue(name: "--tpm", expected: "pin, passphrase or unattended"),
                command: invocation.fullName
            )
        }
    }

    func verifyKeychain() async throws -> ExitStatus {
        let found =
            invocation.flag("no-agent") ? try await openFile().verify() : try await unlockedAgent().verify()
        try tell(found)
        return found.isSound ? .done : .damaged
    }

    func repairKeychain() async throws {
        let keychain = try LocalKeychain(path: try keychainPath(), options: try keychainOptions())
        try await unlockForRepair(keychain, try await slotSecret())
        let found = try await keychain.repair()
        // An agent that has noticed the damage refuses everything until it is unlocked anew.
        if let agent = try? AgentClient(at: try agentSocket()) { try? agent.lock() }
        try tell(found)
    }

    /// Opens it, whatever else is wrong with it.
    private func unlockForRepair(_ keychain: LocalKeychain, _ secret: SlotSecret) async throws(KeychainError) {
        do throws(KeychainError) { try await keychain.unlock(secret) } catch {
            switch error {
            case .changedFromOutside, .rolledBack: console.complain(shown("mildam: \(error)"))
            default: throw error
            }
        }
    }

    private func tell(_ found: KeychainReport) throws {
        let answer = ReportAnswer(
            items: found.items,
            damaged: found.damaged,
            unopened: found.unopened,
            problem: found.problem.map { "\($0)" }
        )
        try report.answer(answer) {
            var lines = ["\(found.items) items, \(found.damaged.count) damaged, \(found.unopened) not looked into"]
            if !found.damaged.isEmpty {
                lines.append("damaged: " + found.damaged.map(String.init).joined(separator: ", "))
            }
            if let problem = found.problem { lines.append(shown("\(problem)")) }
            return lines.joined(separator: "\n")
        }
    }

    private struct ReportAnswer: Encodable {
        var items: Int
        var damaged: [Int64]
        var unopened: Int
        var problem: String?
    }

    func listSlots() throws {
        let slots = try LocalKeychain(path: try keychainPath()).slots()
        let lines = slots.map { SlotLine(number: $0.number, way: $0.kind.option, created: time($0.created)) }
        try report.answer(["slots": lines]) {
            lines.map { "\($0.number)  \($0.created.prefix(10))  \($0.way)" }.joined(separator: "\n")
        }
    }

    private struct SlotLine: Encodable {
        var number: Int64
        var way: String
        var created: String
    }

    func changePassphrase() async throws {
        let keychain = try LocalKeychain(path: try keychainPath(), options: try keychainOptions())
        let old = try secret(of: .passphrase, "Old passphrase", confirming: false)
        try await keychain.unlock(old)
        let new = try secret(of: .passphrase, "New passphrase", confirming: true)
        try await keychain.replaceSlot(old, with: new)
        try report.answer(["changed": true]) { "changed" }
    }

    func makeRecoveryCode() async throws {
        let keychain = try LocalKeychain(path: try keychainPath(), options: try keychainOptions())
        let secret = try await slotSecret()
        try await keychain.unlock(secret)
        let code = RecoveryCode()
        try await keychain.addSlot(.recoveryCode(code), authorizedBy: secret)
        let text = code.text.text ?? ""
        try report.answer(["recoveryCode": text]) { text }
    }

    func removeSlot() async throws {
        let operand = invocation.operand("NUMBER")
        guard let number = Int64(operand) else {
            throw UsageError(.invalidValue(name: "NUMBER", expected: "a slot's number"), command: invocation.fullName)
        }
        let keychain = try LocalKeychain(path: try keychainPath(), options: try keychainOptions())
        let secret = try await slotSecret()
        try await keychain.unlock(secret)
        let gone = try await keychain.removeSlot(number, authorizedBy: secret)
        // What the agent holds may be what has just lost its key.
        if let agent = try? AgentClient(at: try agentSocket()) { try? agent.lock() }
        try report.answer(["itemsRemoved": gone]) { gone == 0 ? "removed" : "removed, and \(gone) items with it" }
    }

    func time(_ milliseconds: Int64) -> String {
        Date(timeIntervalSince1970: TimeInterval(milliseconds / 1000)).formatted(.iso8601)
    }
}
