import FoundationEssentials
import Glibc
import MildamCrypto
import MildamEnclave
import MildamFiles
import MildamSystem
import MildamTerminal

/// Packets of Apple's format: made and opened.
extension Action {
    func encryptPacket() async throws {
        let target = try FileTarget(invocation)
        let form = try packetForm()
        if outputPath == nil, form == .binary, console.isTerminal() {
            throw UsageError(
                .invalidValue(name: "--output", expected: "a file: this is a terminal. --form base64 writes text"),
                command: invocation.fullName
            )
        }
        let parameters = try packetParameters()
        let packet = try seal(to: try await recipientKey(), parameters)
        try target.write(form.encode(packet).span)
        try reportWritten("encrypted", packet.count)
    }

    func decryptPacket() async throws {
        let target = try FileTarget(invocation)
        let form = try packetForm()
        let parameters = try packetParameters()
        let size: Int
        switch try keySource("private-key") {
        case .file(let path):
            let key = try InputError.naming(path) { try ECIESPrivateKey(from: Descriptor.open(path, O_RDONLY)) }
            size = try open(try packetBytes(form), with: key, parameters, to: target)
        case .name(let name):
            let bytes = try packetBytes(form)
            let packet = try InputError.naming(inputLabel) { try ECIES.Packet<P256>(combined: bytes) }
            let secret = try await sharedSecret(name, packet.ephemeralPublicKey)
            size = try open(packet, sharedSecret: secret, parameters, to: target)
        }
        try reportWritten("decrypted", size)
    }

    // MARK: Keys

    private enum KeySource {
        case file(String)
        case name(String)
    }

    /// Where the key is: in the file of an option, or in the keychain under the name of `--key`.
    private func keySource(_ option: String) throws -> KeySource {
        switch (invocation.value(option), invocation.value("key")) {
        case (nil, nil):
            throw UsageError(
                .missingOption("--\(option) FILE or --key", placeholder: "NAME"),
                command: invocation.fullName
            )
        case (.some, .some):
            throw UsageError(
                .invalidValue(name: "--key", expected: "left out: --\(option) names another key"),
                command: invocation.fullName
            )
        case (let path?, nil):
            // What was given and would not be used: somebody may believe that it was.
            let ofKept = ["pin-fd", "tcti", "group", "with", "passphrase-fd", "no-agent"]
            if let unused = ofKept.first(where: { invocation.options[$0] != nil }) {
                throw UsageError(
                    .invalidValue(name: "--\(unused)", expected: "left out: with --\(option) it would not be used"),
                    command: invocation.fullName
                )
            }
            return .file(try keyFile(path, of: option))
        case (nil, let name?):
            try checkDescriptors(readsInput: isInputStandard)
            return .name(name)
        }
    }

    private func recipientKey() async throws -> ECIESPublicKey {
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

    private func sharedSecret(_ name: String, _ other: P256.KeyAgreement.PublicKey) async throws -> SharedSecret {
        let blob = try await enclaveKey(name, for: .keyAgreement)
        return try await enclave(of: blob).sharedSecret(with: other, key: blob, pin: try pin(of: blob, name))
    }

    // MARK: What is read and written

    private var isInputStandard: Bool { (invocation.optionalOperand("INPUT") ?? "-") == "-" }

    private var inputLabel: String {
        isInputStandard ? "standard input" : invocation.optionalOperand("INPUT") ?? ""
    }

    /// The input whole, in secret memory; `nil` when it is longer.
    private func input(limit: Int) throws(SystemError) -> SecretBytes? {
        if isInputStandard {
            return try SecretBytes.reading(Descriptor.copy(of: STDIN_FILENO), limit: limit, path: inputLabel)
        }
        return try SecretBytes.reading(Descriptor.open(inputLabel, O_RDONLY), limit: limit, path: inputLabel)
    }

    private func seal(to key: ECIESPublicKey, _ parameters: ECIES.Parameters) throws -> Data {
        guard let message = try input(limit: ECIES.maximumMessageByteCount) else {
            throw InputError(label: inputLabel, error: ECIESError.tooLong)
        }
        return try key.seal(message.span, parameters: parameters)
    }

    private func packetBytes(_ form: ECIESPacketForm) throws -> Data {
        guard let read = try input(limit: form.maximumByteCount) else {
            throw InputError(label: inputLabel, error: ECIESError.tooLong)
        }
        let bytes = unsafe read.withUnsafeBytes { unsafe Array($0) }  // a packet is no secret
        guard let packet = try? form.decode(bytes) else { throw InputError(label: inputLabel, error: NoText(form)) }
        return packet
    }

    private func open(
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

    private func open(
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

    // MARK: Parameters

    private func packetForm() throws -> ECIESPacketForm {
        invocation.value("form").flatMap(ECIESPacketForm.init) ?? .binary
    }

    private func packetParameters() throws -> ECIES.Parameters {
        let hash: ECIES.Hash =
            switch invocation.value("hash") {
            case "sha224": .sha224
            case "sha384": .sha384
            case "sha512": .sha512
            default: .sha256
            }
        return ECIES.Parameters(hash: hash, iv: invocation.flag("variable-iv") ? .derived : .zero)
    }

    private func reportWritten(_ what: String, _ size: Int) throws {
        guard let path = outputPath else { return }
        try report.answer(WrittenAnswer(output: path, size: size)) {
            "\(what) to \(shown(path)), \(ByteCount.text(Int64(size)))"
        }
    }

    private struct WrittenAnswer: Encodable {
        var output: String
        var size: Int
    }
}

/// What was to be a packet as text is none.
struct NoText: Error, CustomStringConvertible {
    private let form: ECIESPacketForm

    init(_ form: ECIESPacketForm) { self.form = form }

    var description: String { "this is no packet in \(form.rawValue); --form says how it is written" }
}
