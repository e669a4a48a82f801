import Foundation
import MildamKeychain
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamTokens

@Suite("The record in the keychain")
struct TokenRecordTests {
    private func record(
        refresh: String? = "refresh",
        lifetime: Int64? = 300,
        scope: String = "a b",
        isEnded: Bool = false
    ) -> TokenRecord {
        let asked = TimeAnchor(server: 1_000_000, wall: 2_000_000, sinceBoot: 3, boot: [UInt8](repeating: 9, count: 16))
        let tokens = TokenSet(
            accessToken: SecretValue(text: "access"),
            scheme: .dpop,
            expires: lifetime.map { 1_000_000 + $0 * 1000 },
            refreshToken: refresh.map { SecretValue(text: $0) },
            scope: scope
        )
        return TokenRecord(
            number: 7,
            server: "https://example.org/token",
            asked: asked,
            lifetime: isEnded ? nil : lifetime,
            tokens: isEnded ? nil : tokens
        )
    }

    private func read(_ bytes: [UInt8]) throws(WireError) -> TokenRecord { try TokenRecord(bytes: bytes.span) }

    @Test func roundTrips() throws {
        for original in [
            record(), record(refresh: nil, lifetime: nil, scope: ""), record(lifetime: 0), record(isEnded: true),
        ] {
            let bytes = original.bytes.bytes
            let again = try read(bytes)
            #expect(again.bytes.bytes == bytes)
            #expect(again.number == 7 && again.server == "https://example.org/token" && again.asked == original.asked)
            #expect(again.lifetime == original.lifetime)
            #expect(again.tokens?.accessToken.text == original.tokens?.accessToken.text)
            #expect(again.tokens?.refreshToken?.text == original.tokens?.refreshToken?.text)
            #expect(again.tokens?.scheme == original.tokens?.scheme && again.tokens?.scope == original.tokens?.scope)
            #expect(again.tokens?.expires == original.tokens?.expires)
        }
    }

    @Test func aCutOneIsRefused() {
        let bytes = record().bytes.bytes
        for count in bytes.indices { #expect(throws: WireError.self) { try read(Array(bytes.prefix(count))) } }
        #expect(throws: WireError.trailingBytes(count: 1)) { try read(bytes + [0]) }
        #expect(throws: WireError.lengthOutOfRange(65_537)) { try read([UInt8](repeating: 0, count: 65_537)) }
    }

    @Test func aFlippedBitIsRefusedOrAnotherRecord() {
        let bytes = record().bytes.bytes
        for place in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[place] ^= 1 << UInt8(bit)
                if let other = try? read(changed) { #expect(other.bytes.bytes == changed, "byte \(place), bit \(bit)") }
            }
        }
    }

    @Test func anotherVersionIsRefused() {
        var bytes = record().bytes.bytes
        bytes[4] = 2
        #expect(throws: WireError.invalidValue(field: "version")) { try read(bytes) }
    }

    @Test func aTokenWithALineBreakIsRefused() throws {
        var bytes = record().bytes.bytes
        let place = try #require(Data(bytes).range(of: Data("access".utf8))).lowerBound
        bytes[place] = 10
        #expect(throws: WireError.invalidValue(field: "access_token")) { try read(bytes) }
    }

    @Test("of five refreshes in thirty seconds the sixth waits until the first is thirty seconds old")
    func limit() {
        var limit = AttemptLimit()
        for second in 0..<5 { #expect(limit.take(at: Int64(second) * 1000) == 0) }
        #expect(limit.take(at: 10_000) == 20_000)
        #expect(limit.take(at: 29_999) == 1)
        #expect(limit.take(at: 30_000) == 0)
        #expect(limit.take(at: 30_500) == 500)
        // After a restart of the machine its clock begins anew.
        #expect(limit.take(at: 0) == 0)
    }
}
