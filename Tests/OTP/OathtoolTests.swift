import Foundation
import MildamCrypto
import TestSupport
import Testing

@testable import MildamOTP

/// Whether `oathtool` is here. Under `CI` its absence fails the suite.
private let oathtoolIsExpected: Bool = {
    let isInstalled = (try? Program.find("oathtool")) != nil
    if !isInstalled { print("skipped: the suite against oathtool; `apt-get install oathtool` brings it") }
    return isInstalled || ProcessInfo.processInfo.environment["CI"] != nil
}()

@Suite("One-time codes: oathtool", .enabled(if: oathtoolIsExpected))
struct OathtoolTests {
    @Test("It makes the same codes of random secrets and times, with 6 to 8 digits and the three hashes")
    func sameCodes() throws {
        var generator = Seed.generator(for: "oathtool")
        let count = Count.of(few: 48, full: 1000)
        for number in 0..<count {
            let algorithm = OneTimePassword.Algorithm.allCases[number % 3]
            let digits = 6 + number / 3 % 3
            let time = UInt64.random(in: 0..<1 << 32, using: &generator)
            let secret = SymmetricKey(data: generator.bytes(Int.random(in: 1...64, using: &generator)))
            var text = SecretBuilder()
            Base32Secret.encode(secret, into: &text)
            let base32 = text.span.indices.map { text.span[$0] }
            let isCounted = algorithm == .sha1 && number % 2 == 0
            let period = Int.random(in: 1...600, using: &generator)
            let token = try OneTimePassword(
                secret: secret,
                kind: isCounted ? .hotp(counter: time) : .totp(period: period),
                algorithm: algorithm,
                digits: digits
            )
            let way =
                isCounted
                ? ["--counter=\(time)"]
                : ["--totp=\(algorithm.rawValue.lowercased())", "--now=@\(time)", "--time-step-size=\(period)s"]
            let answer = try Program.run(
                "oathtool",
                way + ["--base32", "--digits=\(digits)", "-"],
                input: String(decoding: base32, as: UTF8.self) + "\n"
            )
            try #require(answer.status == 0, "\(answer)")
            #expect(answer.output == token.code(at: time) + "\n")
        }
    }
}
