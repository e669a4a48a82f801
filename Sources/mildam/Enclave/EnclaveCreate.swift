import MildamEnclave
import MildamTerminal

let enclaveCreate = ActionCommand(
    ["enclave", "create"],
    summary: "Make a key that never leaves the enclave, and print its public key.",
    discussion: """
        The public key is PEM. What the enclave gives to be kept is in the keychain, as SecKeyCreateRandomKey keeps it \
        there, with NAME as its application tag. Who deletes it deletes the key.

        A TPM counts wrong PINs, and refuses all for a while after too many. Without a PIN whoever can use the keychain \
        and this machine can use the key.
        """,
    operands: [enclaveNameOperand],
    options: [
        OptionSpec("agreement", help: "A key that agrees on secrets, and so decrypts: what is made unless asked."),
        OptionSpec("signing", help: "A key that signs."),
        OptionSpec("pin", help: "Each use of the key asks for a PIN."), softwareOption, addressOption,
        enclaveGroupOption,
    ] + SecretOption.pin.options + KeychainOpening.all,
    examples: [
        .init("mildam enclave create tokens --pin > tokens.pem", "Asks for a new PIN, twice."),
        .init("mildam enclave create tokens --software", "Asks for a new passphrase."),
    ],
    exitNotes: [.init(.refused, "there is a key of this name already")]
) { action in
    guard !(action.invocation.flag("agreement") && action.invocation.flag("signing")) else {
        throw action.wrong("--signing", "left out with --agreement: a key does one of both")
    }
    let (name, group) = (action.invocation.operand("NAME"), action.invocation.value("group"))
    let store = try await action.enclaveKeys()
    try store.check(name, group: group)
    let choice = try await action.chosenEnclave()
    if let missing = choice.missingTPM {
        action.console.complain(shown("mildam: \(missing); the key is kept in software, under a passphrase"))
    }
    let blob = try await choice.enclave.makeKey(
        action.invocation.flag("signing") ? .signing : .keyAgreement,
        options: EnclaveKeyOptions(pin: try action.newPIN(choice.status.kind))
    )
    try store.keep(blob, as: name, group: group)
    let answer = EnclaveKeyLine(name, blob, group: group)
    return try action.report.answer(answer) { answer.publicKey }
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
