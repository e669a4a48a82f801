import MildamEnclave
import MildamTerminal

let enclaveStatus = ActionCommand(
    ["enclave", "status"],
    summary: "Say which enclave is used on this machine, and how it does.",
    discussion: """
        Of a TPM: its maker, whether it refuses PINs after too many wrong ones, and what is loaded. Where there is no \
        TPM, keys are kept in software, under a passphrase. Where the address is a simulator's and nobody answers, the \
        error says how swtpm has to be started.
        """,
    options: [addressOption],
    examples: [
        .init("mildam enclave status", "Nothing is changed."),
        .init("mildam enclave status --tcti swtpm:path=/run/user/1000/tpm", "Of a simulator, or how to start it."),
    ],
    exitNotes: [
        .init(.notFound, "there is no TPM at the address that was named"),
        .init(.refused, "the TPM is not for this user"),
    ]
) { action in
    let choice = try await action.machinesEnclave()
    switch choice.status {
    case .tpm(let status):
        return try action.report.answer(TPMAnswer(status)) { action.text(status) }
    case .software(let costs):
        let answer = SoftwareAnswer(
            missing: choice.missingTPM.map { "\($0)" },
            argon2: .init(memoryKiB: costs.memoryKiB, passes: costs.passes)
        )
        return try action.report.answer(answer) { action.text(answer) }
    }
}

extension Action {
    fileprivate func text(_ status: TPMStatus) -> String {
        let model = [status.manufacturer, status.model].filter { !$0.isEmpty }.joined(separator: ", ")
        let lock =
            status.isLockedOut
            ? "locked out: yes; one PIN is heard again every \(status.recoverySeconds) s"
            : "locked out: no; one wrong PIN is forgiven every \(status.recoverySeconds) s"
        return shown("TPM at \(status.address): \(model), firmware \(status.firmware)") + "\n" + lock
            + "\nwrong PINs: \(status.lockoutCounter) of \(status.maximumTries)"
            + "\nslots: \(status.loadedObjects) objects and \(status.loadedSessions) sessions loaded, "
            + "\(status.freeObjectSlots) objects more fit"
    }

    fileprivate func text(_ answer: SoftwareAnswer) -> String {
        let costs = "Argon2id, \(answer.argon2.memoryKiB / 1024) MiB, \(answer.argon2.passes) passes"
        return (answer.missing.map { shown($0) + "\n" } ?? "")
            + "software is used: keys lie in the keychain, each under a passphrase (\(costs))"
    }
}

private struct TPMAnswer: Encodable {
    var enclave = "tpm"
    var address: String
    var manufacturer: String
    var model: String
    var firmware: String
    var lockedOut: Bool
    var lockoutCounter: Int
    var maximumTries: Int
    var recoverySeconds: Int
    var loadedObjects: Int
    var loadedSessions: Int
    var freeObjectSlots: Int

    init(_ status: TPMStatus) {
        address = status.address
        manufacturer = status.manufacturer
        model = status.model
        firmware = status.firmware
        lockedOut = status.isLockedOut
        lockoutCounter = status.lockoutCounter
        maximumTries = status.maximumTries
        recoverySeconds = status.recoverySeconds
        loadedObjects = status.loadedObjects
        loadedSessions = status.loadedSessions
        freeObjectSlots = status.freeObjectSlots
    }
}

private struct SoftwareAnswer: Encodable {
    struct Costs: Encodable {
        var memoryKiB: Int
        var passes: Int
    }
    var enclave = "software"
    var missing: String?
    var argon2: Costs
}
