import FoundationEssentials
import MildamCrypto
import MildamEnclave
import MildamFiles
import MildamKeychain
import MildamTerminal
import MildamWire

/// Keys of an enclave: made, listed, deleted.
extension Action {
    func createEnclaveKey() async throws {
        guard !(invocation.flag("agreement") && invocation.flag("signing")) else {
            throw UsageError(
                .invalidValue(name: "--signing", expected: "left out with --agreement: a key does one of both"),
                command: invocation.fullName
            )
        }
        try checkDescriptors()
        let (name, group) = (invocation.operand("NAME"), invocation.value("group"))
        let store = try await enclaveKeys()
        try store.check(name, group: group)
        let choice = try await chosenEnclave()
        if let missing = choice.missingTPM {
            console.complain(shown("mildam: \(missing); the key is kept in software, under a passphrase"))
        }
        let blob = try await choice.enclave.makeKey(
            invocation.flag("signing") ? .signing : .keyAgreement,
            options: EnclaveKeyOptions(pin: try newPIN(choice.status.kind))
        )
        try store.keep(blob, as: name, group: group)
        let answer = EnclaveKeyLine(name, blob, group: group)
        try report.answer(answer) { answer.publicKey }
    }

    func listEnclaveKeys() async throws -> ExitStatus {
        var lines: [EnclaveKeyLine] = []
        var damaged: [String] = []
        for key in try await enclaveKeys().all(group: invocation.value("group")) {
            do throws(EnclaveKeyError) {
                lines.append(EnclaveKeyLine(key.name, try key.blob(), group: key.accessGroup))
            } catch {
                damaged.append(key.name)
                if !report.isJSON { console.complain(shown("mildam: \(error)")) }
            }
        }
        let answer = EnclaveKeyList(keys: lines, damaged: damaged)
        try report.answer(answer) {
            answer.keys.isEmpty ? "nothing" : answer.keys.map(\.text).joined(separator: "\n")
        }
        return answer.damaged.isEmpty ? .done : .damaged
    }

    func deleteEnclaveKey() async throws -> ExitStatus {
        let store = try await enclaveKeys()
        let key = try store.find(invocation.operand("NAME"), group: invocation.value("group"))
        if !invocation.flag("yes") {
            let question = "Delete \(key.name)? What was encrypted to it cannot be opened any more."
            guard try Prompt().confirm(question, option: "--yes") else {
                try report.answer(["deleted": false]) { "not deleted" }
                return .refused
            }
        }
        try store.remove(key)
        try report.answer(["deleted": true]) { shown("deleted \(key.name)") }
        return .done
    }
}

/// Keys, and the names of those that are damaged.
private struct EnclaveKeyList: Encodable {
    var keys: [EnclaveKeyLine]
    var damaged: [String]
}

/// A key as it is listed.
private struct EnclaveKeyLine: Encodable {
    var name: String
    var enclave: String
    var purpose: String
    var pin: Bool
    var group: String?
    var publicKey: String
    var x963: String

    init(_ name: String, _ blob: EnclaveKeyBlob, group: String?) {
        self.name = name
        enclave = blob.kind.answer
        purpose = blob.purpose.answer
        pin = blob.hasPIN
        self.group = group
        publicKey = ECKeyFile.text(publicKey: blob.publicKey.derRepresentation)
        x963 = Hex.encode(blob.publicKey.x963Representation)
    }

    var text: String { shown("\(name)  \(purpose), \(enclave)\(pin && enclave == "tpm" ? ", PIN" : "")") }
}

extension EnclaveStatus {
    /// Which enclave it is of.
    var kind: EnclaveKeyBlob.Kind {
        switch self {
        case .tpm: .tpm
        case .software: .software
        }
    }
}
