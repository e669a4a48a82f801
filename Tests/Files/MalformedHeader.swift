import MildamFiles
import Testing

/// A text that is no header, and what is said of it.
struct MalformedHeader: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let defect: AgeHeaderDefect

    var testDescription: String { text.prefix(300).debugDescription }

    private init(_ text: String, _ line: Int, _ defect: AgeHeaderDefect) {
        self.text = text
        self.line = line
        self.defect = defect
    }

    private static let stanza = """
        age-encryption.org/v1
        -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE
        qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E

        """
    private static let line64 = String(repeating: "A", count: 64)

    static let all: [MalformedHeader] = [
        MalformedHeader("", 1, .endsEarly),
        MalformedHeader("PK\u{3}\u{4}", 1, .notAgeFile),
        MalformedHeader("-----BEGIN AGE ENCRYPTED FILE-----\n", 1, .notAgeFile),
        MalformedHeader("age-encryption.org/\n", 1, .notAgeFile),
        MalformedHeader("age-encryption.org\n", 1, .notAgeFile),
        MalformedHeader("age-encryption.org/v1\r\n", 1, .notAgeFile),
        MalformedHeader("age-encryption.org/v1 \n", 1, .notAgeFile),
        MalformedHeader("age-encryption.org/v1", 1, .endsEarly),
        MalformedHeader("age-encryption.org/v1\n", 2, .endsEarly),
        MalformedHeader(
            "age-encryption.org/v1\n--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n",
            2,
            .unexpectedLine
        ),
        MalformedHeader("age-encryption.org/v1\n\n", 2, .unexpectedLine),
        MalformedHeader("age-encryption.org/v1\n->X25519\n", 2, .unexpectedLine),
        MalformedHeader(stanza + "-> \n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> a  b\n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> a \n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> a\tb\n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> é\n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> a\r\n\n", 4, .invalidArguments),
        MalformedHeader(stanza + "-> a\n=\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\nAAAAA\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\nAB\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\nAA==\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\nAA\r\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\nAA \n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\n" + line64 + "AA\n", 5, .invalidBody),
        MalformedHeader(stanza + "-> a\n" + line64 + "\n---\n", 6, .invalidBody),
        MalformedHeader(stanza + "---\n", 4, .unexpectedLine),
        MalformedHeader(stanza + "---HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n", 4, .unexpectedLine),
        MalformedHeader(stanza + "--- \n", 4, .invalidMAC),
        MalformedHeader(stanza + "---  HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n", 4, .invalidMAC),
        MalformedHeader(stanza + "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75\n", 4, .invalidMAC),
        MalformedHeader(stanza + "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75t\n", 4, .invalidMAC),
        MalformedHeader(stanza + "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s=\n", 4, .invalidMAC),
        MalformedHeader(stanza + "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\r\n", 4, .invalidMAC),
        MalformedHeader(
            stanza + "--- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s\n15 of 16 bytes.",
            5,
            .nonceMissing
        ),
    ]
}
