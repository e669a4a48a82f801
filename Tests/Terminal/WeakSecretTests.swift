import Foundation
import Testing

@testable import MildamTerminal

@Suite("Secrets that are easily guessed")
struct WeakSecretTests {
    private func weakness(_ text: String) -> WeakSecret? { WeakSecret(Array(text.utf8).span) }

    @Test(arguments: [
        "password", "Password123", "p4ssw0rd!!!!", "1234567890", "0987654321", "QWERTYUIOP", "1q2w3e4r5t",
        "aaaaaaaaaaaa",
        "123123123123", "abcdefghijkl", "basketball", "correct horse battery staple", "Summer2025!!!",
    ])
    func whatEverybodyThinksOf(_ secret: String) { #expect(weakness(secret) == .common) }

    @Test(arguments: [("", 0), ("x", 1), ("밀담밀담밀", 5), ("vhq3-kz2p", 9)])
    func whatIsShort(_ secret: String, _ count: Int) { #expect(weakness(secret) == .short(count)) }

    @Test(arguments: [
        "vhq3-kz2p1", "밀담은 둘이서 나누는 말이다", "passwords are for people", "monkeys eat 1234 apples",
        "12345678901234567890123",
    ])
    func whatIsNeither(_ secret: String) { #expect(weakness(secret) == nil) }

    /// John the Ripper's list begins with the commonest.
    private static let list = "/usr/share/john/password.lst"

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: list), "john-data is not installed: Scripts/bootstrap test")
    )
    func theCommonestThousandAreTold() throws {
        let lines = try String(contentsOfFile: Self.list, encoding: .utf8).split(separator: "\n")
        let words = lines.filter { !$0.hasPrefix("#!comment") }.prefix(1000)
        #expect(words.count == 1000)
        let missed = words.filter { weakness(String($0)) == nil }
        #expect(missed.isEmpty, "\(missed)")
    }

    @Test func itIsSaidInWords() {
        #expect("\(WeakSecret.short(1))".hasPrefix("1 character is soon guessed"))
        #expect("\(WeakSecret.short(9))".hasPrefix("9 characters are soon guessed"))
        #expect("\(WeakSecret.common)".hasPrefix("it is among those that are tried first"))
    }
}
