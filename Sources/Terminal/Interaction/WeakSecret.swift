/// Why a secret that a person chose is easily guessed. It is told, and forbids nothing.
public enum WeakSecret: Equatable, Sendable, CustomStringConvertible {
    /// It has fewer characters than `leastLength`.
    case short(Int)
    /// It is a word that is tried first: with digits behind it or signs in place of letters, a row of keys, or one part
    /// over and over.
    case common

    /// The characters that a secret should have. All of the commonest thousand passwords have fewer, or are `common`.
    public static let leastLength = 10

    /// Looks at a secret in UTF-8; `nil` for one that is neither short nor common. No copy of it is made.
    public init?(_ secret: Span<UInt8>) {
        if CommonSecret.isCommon(secret) {
            self = .common
            return
        }
        let characters = secret.indices.count { !UTF8.isContinuation(secret[$0]) }
        guard characters < Self.leastLength else { return nil }
        self = .short(characters)
    }

    /// What is wrong with it, and what would be better.
    public var description: String {
        let better = "several words that nobody else puts together are better"
        return switch self {
        case .short(let count):
            "\(count) \(count == 1 ? "character is" : "characters are") soon guessed by whoever has what they protect: \(better)"
        case .common: "it is among those that are tried first: \(better)"
        }
    }
}

/// What everybody thinks of.
private enum CommonSecret {
    static func isCommon(_ secret: Span<UInt8>) -> Bool {
        guard !secret.isEmpty else { return false }
        if isRepeated(secret) || rows.contains(where: { isPart(secret, of: $0) }) { return true }
        let stem = secret.extracting(..<stemLength(of: secret))
        return words.contains { isSame(stem, $0) } || words.contains { isSame(secret, $0) }
    }

    /// One to three characters over and over: "aaaa", "123123".
    private static func isRepeated(_ secret: Span<UInt8>) -> Bool {
        guard secret.count > 3 else { return false }
        return (1...3).contains { width in (width..<secret.count).allSatisfy { secret[$0] == secret[$0 - width] } }
    }

    /// A piece of a row, in either direction: "qwertz", "4321".
    private static func isPart(_ secret: Span<UInt8>, of row: [UInt8]) -> Bool {
        guard (4...row.count).contains(secret.count) else { return false }
        return [row, row.reversed()].contains { row in
            (0...(row.count - secret.count)).contains { start in
                secret.indices.allSatisfy { lowercase(secret[$0]) == row[start + $0] }
            }
        }
    }

    /// How much stands before digits and marks at the end; all of it where there is nothing else.
    private static func stemLength(of secret: Span<UInt8>) -> Int {
        var end = secret.count
        while end > 0, !isLetter(secret[end - 1]) { end -= 1 }
        return end
    }

    private static func isSame(_ secret: Span<UInt8>, _ word: StaticString) -> Bool {
        guard secret.count == word.utf8CodeUnitCount else { return false }
        return word.withUTF8Buffer { word in
            secret.indices.allSatisfy { unsafe plain(secret[$0]) == plain(word[$0]) }
        }
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercase(byte)) || byte >= 0x80
    }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    /// The letter that a sign stands in for.
    private static func plain(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "0"): UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"): UInt8(ascii: "i")
        case UInt8(ascii: "3"): UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): UInt8(ascii: "s")
        case UInt8(ascii: "7"): UInt8(ascii: "t")
        default: lowercase(byte)
        }
    }

    /// Rows of keys and of the alphabet.
    private static let rows = [
        "12345678901234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl;", "zxcvbnm,./", "yxcvbnm",
        "abcdefghijklmnopqrstuvwxyz", "1q2w3e4r5t6y7u8i9o0p", "1qaz2wsx3edc4rfv5tgb", "qazwsxedcrfvtgb",
    ].map { Array($0.utf8) }

    /// Words that are tried first, most of them longer than nine letters with what is put behind them.
    private static let words: [StaticString] = [
        "password", "passw", "passwort", "passphrase", "pass", "passme", "letmein", "welcome", "welcometo", "admin",
        "administrator", "root", "toor", "login", "master", "guest", "user", "default", "changeme", "changeit",
        "secret",
        "topsecret", "mysecret", "mypassword", "thepassword", "nopassword", "newpassword", "access", "qwerty",
        "qwertyui",
        "qwertz", "azerty", "asdfgh", "asdf", "zxcvbn", "abc", "abcd", "abcdef", "trustno", "whatever", "iloveyou",
        "loveyou", "iloveu", "lovely", "love", "fuckyou", "fuckoff", "fuckme", "bullshit", "shithead", "asshole",
        "monkey", "dragon", "shadow", "sunshine", "princess", "football", "baseball", "basketball", "soccer", "hockey",
        "superman", "batman", "spiderman", "starwars", "startrek", "pokemon", "minecraft", "naruto", "matrix",
        "gandalf",
        "michael", "michelle", "jennifer", "jessica", "jordan", "daniel", "thomas", "andrew", "robert", "charlie",
        "george", "william", "matthew", "joshua", "anthony", "ashley", "nicole", "amanda", "hannah", "samantha",
        "alexander", "benjamin", "elizabeth", "stephanie", "jonathan", "nicholas", "victoria", "computer", "internet",
        "samsung", "google", "facebook", "microsoft", "windows", "linux", "ubuntu", "debian", "android", "iphone",
        "mercedes", "ferrari", "porsche", "mustang", "corvette", "yamaha", "harley", "thunder", "thunderbird",
        "phoenix",
        "eagle", "tigger", "tiger", "purple", "orange", "yellow", "blue", "black", "silver", "golden", "flower",
        "sunflower", "butterfly", "chocolate", "cookie", "cheese", "pepper", "ginger", "banana", "summer", "winter",
        "spring", "autumn", "january", "february", "march", "april", "june", "july", "august", "september", "october",
        "november", "december", "monday", "friday", "sunday", "california", "london", "liverpool", "chelsea", "arsenal",
        "barcelona", "berlin", "america", "canada", "freedom", "hello", "helloworld", "hellokitty", "goodluck",
        "killer",
        "hunter", "ranger", "cowboy", "pirate", "ninja", "jesus", "jesuschrist", "heaven", "angel", "blessed",
        "forever", "family", "mother", "father", "babygirl", "sweetheart", "secure", "security", "private", "system",
        "server", "database", "oracle", "cisco", "testing", "test", "testtest", "example", "sample", "demo", "temp",
        "temporary", "correcthorsebatterystaple", "correct horse battery staple", "nothing", "something", "anything",
        "everything", "nobody", "somebody",
    ]
}
