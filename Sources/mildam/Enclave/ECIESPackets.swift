import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

let enclaveKeyOption = OptionSpec("key", value: .init("NAME"), help: "A key of the enclave, as `list` shows them.")

let packetOptions = [
    OptionSpec(
        "hash",
        value: .init("HASH", completion: .choices(["sha224", "sha256", "sha384", "sha512"])),
        help: "The hash in the algorithm's name (X963SHA256); sha256 unless given."
    ),
    OptionSpec("variable-iv", help: "The algorithm has VariableIV in its name: what Apple advises for new data."),
    OptionSpec(
        "form",
        value: .init("FORM", completion: .choices(ECIESPacketForm.allCases.map(\.rawValue))),
        help: "How the packet is written; binary unless given."
    ),
]

let packetNote = """
    The key file is PEM, DER, or what SecKeyCopyExternalRepresentation gives, of P-256, P-384 or P-521. A packet does \
    not say its hash and its IV: what eciesEncryptionStandardX963SHA256AESGCM made is read unless other ones are named.
    """

/// What encrypting and decrypting packets of Apple's format share.
extension Action {
    /// Where a key is.
    enum KeySource {
        case file(String)
        case name(String)
    }

    /// Where the key is: in the file of an option, or in the keychain under the name of `--key`.
    func keySource(_ option: String) throws -> KeySource {
        switch (invocation.value(option), invocation.value("key")) {
        case (nil, nil):
            throw misuse(.missingOption("--\(option) FILE or --key", placeholder: "NAME"))
        case (.some, .some):
            throw wrong("--key", "left out: --\(option) names another key")
        case (let path?, nil):
            // What was given and would not be used: somebody may believe that it was.
            let secrets = invocation.secrets.flatMap(\.options).map(\.long)
            let ofKept = ["tcti", "group", "with", "no-agent"] + secrets
            if let unused = ofKept.first(where: { invocation.options[$0] != nil }) {
                throw wrong("--\(unused)", "left out: with --\(option) it would not be used")
            }
            return .file(try keyFile(path, of: option))
        case (nil, let name?):
            if isInputStandard { try claimStandardInput() }
            return .name(name)
        }
    }

    var isInputStandard: Bool { (invocation.optionalOperand("INPUT") ?? "-") == "-" }

    var inputLabel: String {
        isInputStandard ? "standard input" : invocation.optionalOperand("INPUT") ?? ""
    }

    /// The input whole, in secret memory; `nil` when it is longer.
    func input(limit: Int) throws(SystemError) -> SecretBytes? {
        if isInputStandard {
            return try SecretBytes.reading(Descriptor.copy(of: STDIN_FILENO), limit: limit, path: inputLabel)
        }
        return try SecretBytes.reading(Descriptor.open(inputLabel, O_RDONLY), limit: limit, path: inputLabel)
    }

    func packetForm() throws -> ECIESPacketForm {
        invocation.value("form").flatMap(ECIESPacketForm.init) ?? .binary
    }

    func packetParameters() throws -> ECIES.Parameters {
        let hash: ECIES.Hash =
            switch invocation.value("hash") {
            case "sha224": .sha224
            case "sha384": .sha384
            case "sha512": .sha512
            default: .sha256
            }
        return ECIES.Parameters(hash: hash, iv: invocation.flag("variable-iv") ? .derived : .zero)
    }

    func reportWritten(_ what: String, _ size: Int) throws -> ExitStatus {
        guard let path = outputPath else { return .done }
        return try report.answer(WrittenAnswer(output: path, size: size)) {
            "\(what) to \(shown(path)), \(ByteCount.text(Int64(size)))"
        }
    }
}

private struct WrittenAnswer: Encodable {
    var output: String
    var size: Int
}
