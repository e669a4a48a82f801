import FoundationEssentials
import Glibc
import MildamCrypto
import MildamFiles
import MildamSystem
import MildamTerminal

let enclaveDecrypt = ActionCommand(
    ["enclave", "decrypt"],
    summary: "Decrypt what SecKeyCreateEncryptedData made.",
    discussion: packetNote,
    operands: [inputOperand],
    options: [
        OptionSpec(
            "private-key",
            value: .init("FILE", completion: .file),
            help: "The private key, not under a password; - for standard input."
        ),
        enclaveKeyOption, addressOption, enclaveGroupOption,
    ] + SecretOption.pin.options + packetOptions + [outputOption, forceOption] + KeychainOpening.all,
    examples: [
        .init("mildam enclave decrypt --key tokens -o token.txt token.bin", "With a key of this enclave."),
        .init(
            "mildam enclave decrypt --private-key k.pem --hash sha512 packet.bin",
            "What eciesEncryptionStandardX963SHA512AESGCM made."
        ),
    ],
    exitNotes: [
        .init(.wrongSecret, "another key, hash or IV, or damage: the format cannot tell; or the PIN is wrong"),
        .init(.damaged, "it is too short for a packet, or what is kept of the key is damaged"),
        .init(.refused, "the TPM is locked out, or the key is another TPM's, or one that signs"),
    ]
) { action in
    let target = try FileTarget(action.invocation)
    let form = try action.packetForm()
    let parameters = try action.packetParameters()
    let size: Int
    switch try action.keySource("private-key") {
    case .file(let path):
        let key = try InputError.naming(path) { try ECIESPrivateKey(from: Descriptor.open(path, O_RDONLY)) }
        size = try action.open(try action.packetBytes(form), with: key, parameters, to: target)
    case .name(let name):
        let bytes = try action.packetBytes(form)
        let packet = try InputError.naming(action.inputLabel) { try ECIES.Packet<P256>(combined: bytes) }
        let secret = try await action.sharedSecret(name, packet.ephemeralPublicKey)
        size = try action.open(packet, sharedSecret: secret, parameters, to: target)
    }
    return try action.reportWritten("decrypted", size)
}

extension Action {
    fileprivate func sharedSecret(_ name: String, _ other: P256.KeyAgreement.PublicKey) async throws -> SharedSecret {
        let blob = try await enclaveKey(name, for: .keyAgreement)
        return try await enclave(of: blob).sharedSecret(with: other, key: blob, pin: try pin(of: blob, name))
    }

    fileprivate func packetBytes(_ form: ECIESPacketForm) throws -> Data {
        guard let read = try input(limit: form.maximumByteCount) else {
            throw InputError(label: inputLabel, error: ECIESError.tooLong)
        }
        let bytes = unsafe read.withUnsafeBytes { unsafe Array($0) }  // a packet is no secret
        guard let packet = try? form.decode(bytes) else { throw InputError(label: inputLabel, error: NoText(form)) }
        return packet
    }

    fileprivate func open(
        _ packet: Data,
        with key: ECIESPrivateKey,
        _ parameters: ECIES.Parameters,
        to target: FileTarget
    ) throws -> Int {
        try InputError.naming(inputLabel) {
            let message = try key.open(packet, parameters: parameters)
            try target.write(message.span)
            return message.count
        }
    }

    fileprivate func open(
        _ packet: ECIES.Packet<P256>,
        sharedSecret: SharedSecret,
        _ parameters: ECIES.Parameters,
        to target: FileTarget
    ) throws -> Int {
        try InputError.naming(inputLabel) {
            let message = try ECIES.open(packet, sharedSecret: sharedSecret, parameters: parameters)
            try target.write(message.span)
            return message.count
        }
    }
}

/// What was to be a packet as text is none.
struct NoText: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.damaged
    private let form: ECIESPacketForm

    init(_ form: ECIESPacketForm) { self.form = form }

    var description: String { "this is no packet in \(form.rawValue); --form says how it is written" }
}
