import MildamCrypto
import MildamFiles
import MildamTerminal
import MildamWire

let identityOption = OptionSpec(
    "identity",
    short: "i",
    value: .init("FILE", completion: .file),
    help: """
        Open with the keys of this file, or of standard input as -: AGE-SECRET-KEY-1…, a plugin's, or an SSH key of \
        Ed25519 or RSA. A file that is under a passphrase asks for it.
        """,
    isRepeatable: true
)

let passphraseKnownOption = OptionSpec(
    "passphrase",
    short: "p",
    help: "Nothing more: that a file was made with a passphrase is seen. As in age, -p is not --profile here."
)

/// How layouts are named that do not say themselves what they are.
let layoutOptions = [
    OptionSpec(
        "format",
        value: .init("FORMAT", completion: .choices(FileFormat.allCases.map(\.rawValue))),
        help: "What the file is, where it does not say so itself."
    ),
    rnCryptorKeysOption,
    OptionSpec("rounds", value: .init("N"), help: "Of PBKDF2, for aes-cbc-pbkdf2; 10,000 unless given."),
    OptionSpec("salt", value: .init("HEX"), help: "Of PBKDF2, for aes-cbc-pbkdf2."),
    OptionSpec("iv", value: .init("HEX"), help: "The initialisation vector, for aes-cbc-pbkdf2."),
]

/// How a file is opened, whatever its format.
extension Action {
    /// What a file is: as `--format` says, or its beginning.
    func format(of input: FileInput) throws -> FileFormat {
        for path in invocation.values("identity") { _ = try keyFile(path, of: "identity") }
        let format: FileFormat
        if let name = invocation.value("format"), let named = FileFormat(rawValue: name) {
            format = named
        } else {
            let inspection = try FileInspection(input.source, name: input.name)
            guard let known = FileFormat(inspection.kind) else { throw UnknownFile(mediaType: inspection.mediaType) }
            format = known
        }
        try refuseUnused(for: format)
        return format
    }

    /// What was given and would not be used: somebody may believe that it was.
    private func refuseUnused(for format: FileFormat) throws {
        var unused: [String] = []
        if format != .pbkdf2 { unused += ["salt", "iv", "rounds"] }
        if format.rnCryptor == nil { unused.append("rncryptor-keys") }
        if format != .age { unused.append("identity") }
        if let option = unused.first(where: { invocation.options[$0] != nil }) {
            throw wrong("--\(option)", "left out: a file of format \(format.rawValue) has none")
        }
    }

    /// Asks for what opens a file.
    ///
    /// - Returns: what decrypts it.
    func opening(
        of input: FileInput,
        as format: FileFormat
    ) throws -> (FileTarget, FileMonitor) throws -> OpenedFile {
        if let rnCryptor = format.rnCryptor {
            let secret = OpeningSecret(try rnCryptorSecret(isNew: false))
            return { target, monitor in
                OpenedFile(
                    try RNCryptorFile.decrypt(
                        input.source,
                        to: target,
                        secret: secret.value,
                        format: rnCryptor,
                        monitor: monitor
                    ),
                    format
                )
            }
        }
        if let layout = try legacyLayout(format) {
            let password = SymmetricKey(try secret(.filePassphrase, "Password"))
            return { target, monitor in
                OpenedFile(
                    try LegacyFile.decrypt(
                        input.source,
                        to: target,
                        password: SecretBytes(copying: password),
                        layout: layout,
                        monitor: monitor
                    ),
                    format
                )
            }
        }
        let identities = try identities(for: input)
        return { target, monitor in
            OpenedFile(
                size: try AgeFile.decrypt(input.source, to: target, identities: identities, monitor: monitor)
            )
        }
    }

    /// What opens an age file: a passphrase if it was made with one, otherwise the keys of `--identity`.
    private func identities(for input: FileInput) throws -> [any AgeIdentity] {
        let inspection = try FileInspection(input.source, name: nil)
        let paths = invocation.values("identity")
        if inspection.recipients == ["scrypt"] {
            guard paths.isEmpty else {
                throw wrong("--identity", "left out: the file was made with a passphrase")
            }
            return [try AgeScryptIdentity(passphrase: try secret(.filePassphrase, "Passphrase"))]
        }
        let interaction = pluginInteraction
        // A file for keys has no passphrase of its own: one that is given is that of a key.
        let questions = AgeKeyQuestions { file in try secret(.filePassphrase, "Passphrase of \(file)") }
        let identities = try paths.flatMap { path in
            let path = try keyFile(path, of: "identity")
            return try KeyFileError.naming(path) { () throws(AgeKeyError) in
                try AgeKeyFile.identities(at: path, interaction: interaction, questions: questions)
            }
        }
        if identities.isEmpty, inspection.defect == nil, inspection.kind == .age || inspection.kind == .armoredAge {
            // A passphrase opens nothing that was made for keys.
            if isGiven(.filePassphrase) { throw AgeError.noIdentityMatches }
            throw misuse(.missingOption("--identity", placeholder: "FILE"))
        }
        return identities
    }

    /// Which layout without authentication is named, if one is.
    private func legacyLayout(_ format: FileFormat) throws -> LegacyLayout? {
        switch format {
        case .passwordAsKey: .passwordAsKey
        case .pbkdf2:
            .pbkdf2(
                salt: try bytes("salt", sizes: 1...1024),
                iv: try bytes("iv", sizes: 16...16),
                rounds: try invocation.integer("rounds", in: 1...100_000_000) ?? 10_000
            )
        case .age, .rnCryptor, .rnCryptorCounter, .rnCryptorUnmarked, .rnCryptorUnmarkedCounter: nil
        }
    }

    private func bytes(_ option: String, sizes: ClosedRange<Int>) throws -> [UInt8] {
        guard let text = invocation.value(option), let bytes = try? Hex.decode(text), sizes.contains(bytes.count) else {
            let expected = sizes.count == 1 ? "\(sizes.lowerBound) bytes in hexadecimal" : "bytes in hexadecimal"
            throw wrong("--\(option)", expected)
        }
        return bytes
    }
}

/// A secret that a closure can keep: one that has a single owner cannot be copied into it.
private final class OpeningSecret {
    let value: RNCryptorSecret

    init(_ value: consuming RNCryptorSecret) {
        self.value = value
    }
}
