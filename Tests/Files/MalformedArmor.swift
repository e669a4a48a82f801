import MildamFiles
import Testing

/// A text that is no armor, and what is said of it.
struct MalformedArmor: Sendable, CustomTestStringConvertible {
    let text: String
    let line: Int
    let defect: AgeArmorDefect

    var testDescription: String { text.prefix(300).debugDescription }

    private init(_ text: String, _ line: Int, _ defect: AgeArmorDefect) {
        self.text = text
        self.line = line
        self.defect = defect
    }

    private static let begin = "-----BEGIN AGE ENCRYPTED FILE-----\n"
    private static let end = "-----END AGE ENCRYPTED FILE-----\n"
    private static let full = String(repeating: "A", count: 64) + "\n"

    static let all: [MalformedArmor] = [
        MalformedArmor("", 1, .endsEarly),
        MalformedArmor("\n \n", 3, .endsEarly),
        MalformedArmor("-----BEGIN", 1, .endsEarly),
        MalformedArmor(String(begin.dropLast()), 1, .endsEarly),
        MalformedArmor(begin, 2, .endsEarly),
        MalformedArmor(begin + full, 3, .endsEarly),
        MalformedArmor(begin + "AAAA\n", 3, .endsEarly),
        MalformedArmor(begin + "AAAA\n-----END", 3, .endsEarly),
        MalformedArmor(begin + end.dropLast() + " ", 2, .endsEarly),
        MalformedArmor("x\n" + begin + end, 1, .notArmor),
        MalformedArmor(" " + begin + end, 1, .notArmor),
        MalformedArmor("\n\n\t" + begin + end, 3, .notArmor),
        MalformedArmor("-" + begin + end, 1, .notArmor),
        MalformedArmor("-----BEGIN OPENSSH PRIVATE KEY-----\n" + full, 1, .notArmor),
        MalformedArmor(String(repeating: "-", count: 100), 1, .notArmor),
        MalformedArmor(begin.dropLast() + "\r\r\n" + end, 1, .notArmor),
        MalformedArmor(begin + "\n" + end, 2, .emptyLine),
        MalformedArmor(begin + "\r\n" + end, 2, .emptyLine),
        MalformedArmor(begin + full + "\n" + end, 3, .emptyLine),
        MalformedArmor(begin + "A" + full + end, 2, .lineTooLong),
        MalformedArmor(begin + full.dropLast() + "AAAA\n" + end, 2, .lineTooLong),
        MalformedArmor(begin + full.dropLast() + "\r\r\n" + end, 2, .lineTooLong),
        MalformedArmor(begin + "AAA\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AAA\r=\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AAB=\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AA A\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "A===\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AA==AAAA\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "====\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AA-_\n" + end, 2, .invalidBase64),
        MalformedArmor(begin + "AAAA \n" + end, 2, .invalidBase64),
        MalformedArmor(begin + begin + end, 2, .invalidBase64),
        MalformedArmor(begin + "AAAA\n" + full + end, 3, .lineAfterLast),
        MalformedArmor(begin + "AAAA\n\n" + end, 3, .lineAfterLast),
        MalformedArmor(begin + full.dropLast(2) + "=\nAAAA\n" + end, 3, .lineAfterLast),
        MalformedArmor(begin + "AAAA\n" + end.dropLast() + " \n", 3, .lineAfterLast),
        MalformedArmor(begin + "AAAA\n-----END AGE ENCRYPTED MESSAGE-----\n", 3, .lineAfterLast),
        MalformedArmor(begin + end + "x", 3, .trailingData),
        MalformedArmor(begin + end + "\n\n" + begin + end, 5, .trailingData),
    ]
}
