import MildamFiles
import MildamTerminal

private let nameOperand = Operand("NAME", help: "The key.")

private let groupOption = OptionSpec(
    "group",
    value: .init("GROUP"),
    help: "The access group; of `create` the one of this program unless given, otherwise any."
)

private let addressOption = OptionSpec(
    "tcti",
    value: .init("STRING"),
    help: "Where the TPM is: device:PATH or swtpm:path=SOCKET; MILDAM_TPM, or device:/dev/tpmrm0, unless given."
)

private let softwareOption = OptionSpec("software", help: "Use no TPM: a key in software, under a passphrase.")

private let pinOption = OptionSpec(
    "pin-fd",
    value: .init("N"),
    help: "Take the key's PIN or passphrase from the first line of descriptor N, in place of asking."
)

private let outputOption = OptionSpec(
    "output",
    short: "o",
    value: .init("FILE", completion: .file),
    help: "Where to write; standard output without it. Nothing is replaced without --force. With --json it is needed."
)

private let forceOption = OptionSpec("force", help: "Take the place of what is there.")

private let inputOperand = Operand(
    "INPUT",
    help: "The file; standard input where it is missing.",
    arity: .optional,
    completion: .file
)

private let keyOption = OptionSpec("key", value: .init("NAME"), help: "A key of the enclave, as `list` shows them.")

private let parameterOptions = [
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

private let keyNote = """
    The key file is PEM, DER, or what SecKeyCopyExternalRepresentation gives, of P-256, P-384 or P-521. A packet does \
    not say its hash and its IV: what eciesEncryptionStandardX963SHA256AESGCM made is read unless other ones are named.
    """

/// `mildam enclave …`.
let enclaveCommands = [
    CommandSpec(
        ["enclave", "status"],
        summary: "Say which enclave is used on this machine, and how it does.",
        discussion: """
            Of a TPM: its maker, whether it refuses PINs after too many wrong ones, and what is loaded. Where there is no \
            TPM, keys are kept in software, under a passphrase.
            """,
        options: [addressOption],
        examples: [.init("mildam enclave status", "Nothing is changed.")],
        exitNotes: [
            .init(.notFound, "there is no TPM at the address that was named"),
            .init(.refused, "the TPM is not for this user"),
        ]
    ),
    CommandSpec(
        ["enclave", "create"],
        summary: "Make a key that never leaves the enclave, and print its public key.",
        discussion: """
            The public key is PEM. What the enclave gives to be kept is in the keychain, as SecKeyCreateRandomKey keeps it \
            there, with NAME as its application tag. Who deletes it deletes the key.

            A TPM counts wrong PINs, and refuses all for a while after too many. Without a PIN whoever can use the keychain \
            and this machine can use the key.
            """,
        operands: [nameOperand],
        options: [
            OptionSpec("agreement", help: "A key that agrees on secrets, and so decrypts: what is made unless asked."),
            OptionSpec("signing", help: "A key that signs."),
            OptionSpec("pin", help: "Each use of the key asks for a PIN."), pinOption, softwareOption, addressOption,
            groupOption,
        ] + KeychainOpening.all,
        examples: [
            .init("mildam enclave create tokens --pin > tokens.pem", "Asks for a new PIN, twice."),
            .init("mildam enclave create tokens --software", "Asks for a new passphrase."),
        ],
        exitNotes: [.init(.refused, "there is a key of this name already")]
    ),
    CommandSpec(
        ["enclave", "list"],
        summary: "List the keys.",
        options: [groupOption] + KeychainOpening.all,
        examples: [.init("mildam enclave list --json", "With the public keys.")],
        exitNotes: [.init(.damaged, "what is kept of a key is damaged; the others are listed")]
    ),
    CommandSpec(
        ["enclave", "delete"],
        summary: "Delete a key for good.",
        discussion: "What was encrypted to it cannot be opened any more.",
        operands: [nameOperand],
        options: [OptionSpec("yes", short: "y", help: "Do not ask."), groupOption] + KeychainOpening.all,
        examples: [.init("mildam enclave delete tokens", "Asks first.")],
        exitNotes: [.init(.refused, "it was not agreed to")]
    ),
    CommandSpec(
        ["enclave", "test"],
        summary: "Use a key, and see in software that what it gave is right.",
        discussion: """
            Without NAME, fresh keys agree on a secret and sign, and are forgotten. With NAME, that key does what it is for.
            """,
        operands: [Operand("NAME", help: "The key.", arity: .optional)],
        options: [pinOption, softwareOption, addressOption, groupOption] + KeychainOpening.all,
        examples: [.init("mildam enclave test", "Says how long each took.")],
        exitNotes: [.init(.damaged, "what the enclave gave is wrong")]
    ),
    CommandSpec(
        ["enclave", "encrypt"],
        summary: "Encrypt to a public key, as SecKeyCreateEncryptedData does.",
        discussion: keyNote,
        operands: [inputOperand],
        options: [
            OptionSpec(
                "public-key",
                value: .init("FILE", completion: .file),
                help: "The public key of whoever may decrypt it; - for standard input."
            ),
            keyOption, groupOption,
        ] + parameterOptions + [outputOption, forceOption] + KeychainOpening.all,
        examples: [
            .init("mildam enclave encrypt --public-key tokens.pem -o token.bin token.txt", "Asks for nothing."),
            .init("mildam enclave encrypt --key tokens --form base64 < token.txt", "To a key of this enclave."),
        ]
    ),
    CommandSpec(
        ["enclave", "decrypt"],
        summary: "Decrypt what SecKeyCreateEncryptedData made.",
        discussion: keyNote,
        operands: [inputOperand],
        options: [
            OptionSpec(
                "private-key",
                value: .init("FILE", completion: .file),
                help: "The private key, not under a password; - for standard input."
            ),
            keyOption, pinOption, addressOption, groupOption,
        ] + parameterOptions + [outputOption, forceOption] + KeychainOpening.all,
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
    ),
]
