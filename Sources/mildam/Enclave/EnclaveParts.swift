import MildamCrypto
import MildamEnclave
import MildamKeychain
import MildamTerminal

let enclaveNameOperand = Operand("NAME", help: "The key.")

let enclaveGroupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group; of `create` the one of this program unless given, otherwise any."
)

let addressOption = OptionSpec(
    "tcti",
    value: .init("STRING"),
    help: "Where the TPM is: device:PATH or swtpm:path=SOCKET; MILDAM_TPM, or device:/dev/tpmrm0, unless given."
)

let softwareOption = OptionSpec("software", help: "Use no TPM: a key in software, under a passphrase.")

/// What the commands of `mildam enclave` share.
extension Action {
    /// The TPM's address, and whether somebody named it.
    private func tpmAddress() throws(EnclaveError) -> (TPMAddress, isNamed: Bool) {
        if let text = invocation.value("tcti") { return (try TPMAddress(text), true) }
        return (try TPMAddress.standard(), Console.variable("MILDAM_TPM") != nil)
    }

    /// The enclave that is asked for, for new keys.
    func chosenEnclave() async throws -> EnclaveChoice {
        if invocation.flag("software") {
            guard invocation.value("tcti") == nil else {
                throw wrong("--tcti", "left out: --software uses no TPM")
            }
            return .software()
        }
        return try await machinesEnclave()
    }

    /// The enclave that is used where nobody asks for software.
    func machinesEnclave() async throws(EnclaveError) -> EnclaveChoice {
        let (address, isNamed) = try tpmAddress()
        return try await EnclaveChoice.find(address, isNamed: isNamed)
    }

    /// The enclave that made a key.
    func enclave(of blob: EnclaveKeyBlob) throws(EnclaveError) -> any Enclave {
        switch blob.kind {
        case .tpm: TPMEnclave(try tpmAddress().0)
        case .software: SoftwareEnclave()
        }
    }

    func enclaveKeys() async throws -> EnclaveKeyStore { EnclaveKeyStore(try await openKeychain()) }

    /// The key of a name, for one purpose: said before anybody is asked for a PIN.
    func enclaveKey(_ name: String, for purpose: EnclaveKeyPurpose) async throws -> EnclaveKeyBlob {
        let blob = try await enclaveKeys().find(name, group: invocation.value("group")).blob()
        guard blob.purpose == purpose else { throw EnclaveError.wrongPurpose }
        return blob
    }

    /// The PIN of a key, if it has one: from where the command line says, or from whoever sits at the terminal.
    func pin(of blob: EnclaveKeyBlob, _ name: String) throws -> EnclavePIN? {
        guard blob.hasPIN else {
            guard !isGiven(.pin) else { throw EnclaveError.pinUnexpected }
            return nil
        }
        return try pin("\(blob.kind.secret) of \(name)", confirming: false)
    }

    /// A new key's PIN or passphrase, if it is to have one.
    func newPIN(_ kind: EnclaveKeyBlob.Kind) throws -> EnclavePIN? {
        let isWanted = kind == .software || invocation.flag("pin") || isGiven(.pin)
        return isWanted ? try pin("New \(kind.secret) of the key", confirming: true) : nil
    }

    private func pin(_ question: String, confirming: Bool) throws -> EnclavePIN {
        try EnclavePIN(secret(.pin, question, confirming: confirming))
    }
}

extension EnclaveKeyBlob.Kind {
    /// What uses of its keys ask for.
    var secret: String { self == .tpm ? "PIN" : "passphrase" }

    /// What it is called in answers.
    var answer: String { self == .tpm ? "tpm" : "software" }
}

extension EnclaveKeyPurpose {
    /// What it is called in answers, and on the command line.
    var answer: String { self == .keyAgreement ? "agreement" : "signing" }
}
