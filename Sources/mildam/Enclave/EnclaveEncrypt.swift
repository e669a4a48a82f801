import FoundationEssentials
import Glibc
import MildamCrypto
import MildamEnclave
import MildamFiles
import MildamSystem
import MildamTerminal

let enclaveEncrypt = ActionCommand(
    ["enclave", "encrypt"],
    summary: "Encrypt to a public key, as SecKeyCreateEncryptedData does.",
    discussion: packetNote,
    operands: [inputOperand],
    options: [
        OptionSpec(
            "public-key",
            value: .init("FILE", completion: .file),
            help: "The public key of whoever may decrypt it; - for standard input."
        ),
        enclaveKeyOption, enclaveGroupOption,
    ] + packetOptions + [outputOption, forceOption] + KeychainOpening.all,
    examples: [
        .init("mildam enclave encrypt --public-key tokens.pem -o token.bin token.txt", "Asks for nothing."),
        .init("mildam enclave encrypt --key tokens --form base64 < token.txt", "To a key of this enclave."),
    ]
) { action in
    let target = try FileTarget(action.invocation)
    let form = try action.packetForm()
    if action.outputPath == nil, form == .binary, action.console.isTerminal() {
        throw action.wrong("--output", "a file: this is a terminal. --form base64 writes text")
    }
    let parameters = try action.packetParameters()
    let packet = try action.seal(to: try await action.recipientKey(), parameters)
    try target.write(form.encode(packet).span)
    return try action.reportWritten("encrypted", packet.count)
}

extension Action {
    fileprivate func recipientKey() async throws -> ECIESPublicKey {
        switch try keySource("public-key") {
        case .file(let path):
            return try InputError.naming(path) { try ECIESPublicKey(from: Descriptor.open(path, O_RDONLY)) }
        case .name(let name):
            guard case .keyAgreement(let key) = try await enclaveKey(name, for: .keyAgreement).publicKey else {
                throw EnclaveError.wrongPurpose
            }
            return .p256(key)
        }
    }

    fileprivate func seal(to key: ECIESPublicKey, _ parameters: ECIES.Parameters) throws -> Data {
        guard let message = try input(limit: ECIES.maximumMessageByteCount) else {
            throw InputError(label: inputLabel, error: ECIESError.tooLong)
        }
        return try key.seal(message.span, parameters: parameters)
    }
}
