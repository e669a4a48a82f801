import Foundation
import MildamCrypto
import MildamIdentity
import MildamJOSE
import MildamRelayAPI
import MildamSystem
import MildamWire
import TestSupport
import Testing

@testable import MildamRelay

@Suite("The relay's own secrets")
struct SecretsTests {
    @Test("round trip, cut at every byte, with a byte more")
    func codec() throws {
        var secrets = RelaySecrets(at: 1000)
        secrets.tokenKeys = secrets.tokenKeys.rotated(at: 2000)
        let bytes = secrets.wireBytes
        let read = try RelaySecrets(wireBytes: bytes)
        #expect(read.wireBytes == bytes)
        #expect(read.relay == secrets.relay && read.tokenKeys.all.count == 2)
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try RelaySecrets(wireBytes: Array(bytes.prefix(count))) }
            var flipped = bytes
            flipped[count] ^= 0x80
            // Keys are any bytes; what is read is what is written.
            if let read = try? RelaySecrets(wireBytes: flipped) { #expect(read.wireBytes == flipped) }
        }
        #expect(throws: WireError.self) { try RelaySecrets(wireBytes: bytes + [0]) }
    }

    @Test("a time at which a key began that no clock shows is damage", arguments: [-1, .min, .max, 1 << 40 + 1])
    func absurdTime(_ from: Int64) throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secrets")
        try RelaySecrets(at: 1 << 40).save(path)
        #expect(throws: Never.self) { try RelaySecrets.load(path, at: 1 << 40) }
        try RelaySecrets(at: from).save(path)
        #expect(throws: RelayError.self) { try RelaySecrets.load(path, at: 1000) }
    }

    @Test("the file is private, and one that is damaged is not replaced")
    func file() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secrets")
        let secrets = RelaySecrets(at: 1000)
        try secrets.save(path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try RelaySecrets.load(path, at: 1000).relay == secrets.relay)
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        #expect(throws: RelayError.self) { try RelaySecrets.load(path, at: 1000) }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data([1, 2, 3]))
    }

    @Test("a file of version 1 is given a code key, once, and keeps all else")
    func olderVersion() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secrets")
        var old = RelaySecrets(at: 1000).wireBytes
        // Behind the salt key: how many, and one with its number.
        old.removeLast(1 + 4 + 32)
        old[0] = 1
        try WholeFile.write(old.span, to: path)
        let read = try RelaySecrets.load(path, at: 1000)
        #expect(read.codeKeys.all.map(\.id) == [1])
        let stored = try WholeFile.read(path, limit: 65_536)
        #expect(stored == read.wireBytes && stored.first == 2)
        #expect(Array(stored.dropFirst().prefix(old.count - 1)) == Array(old.dropFirst()))
        #expect(try RelaySecrets.load(path, at: 1000).wireBytes == stored)
        for count in 0..<old.count {
            #expect(throws: WireError.self) { try RelaySecrets(wireBytes: Array(old.prefix(count))) }
        }
        #expect(throws: WireError.self) { try RelaySecrets(wireBytes: [3] + old.dropFirst()) }
    }

    @Test("a token key past its term gets a successor, and verifies for as long as its tokens live")
    func rotation() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("secrets")
        let secrets = RelaySecrets(at: 0)
        try secrets.save(path)
        let later = TokenKeys.term + 1
        let rotated = try RelaySecrets.load(path, at: later)
        let old = secrets.tokenKeys.newest.id
        #expect(rotated.tokenKeys.newest.id != old)
        #expect(rotated.tokenKeys.publicKey(old, at: later + AccessToken.lifetime - 1) != nil)
        #expect(rotated.tokenKeys.publicKey(old, at: later + AccessToken.lifetime) == nil)
        #expect(rotated.tokenKeys.publicKey("other", at: later) == nil)
        #expect(try RelaySecrets.load(path, at: later).tokenKeys.newest.id == rotated.tokenKeys.newest.id)
        #expect(rotated.tokenKeys.rotated(at: later + 1000).all.count == 2)
    }

    @Test("access tokens: believed until they run out, and only whole")
    func accessTokens() throws {
        let now = Lock<Int64>(1_000_000)
        let clock = WallClock { now.withLock { $0 } * 1000 }
        let secrets = RelaySecrets(at: 0)
        let tokens = AccessTokens(relay: secrets.relay, keys: secrets.tokenKeys, clock: clock)
        let address = MailboxAddress(account: .random(), device: .random())
        let session = SessionID.random()
        let issued = try tokens.issue(for: address, session: session, refresh: [1], boundTo: nil).get()
        for scheme in ["Bearer ", "bearer ", "BEARER "] {
            let sender = try tokens.sender(authorization: scheme + issued.accessToken)
            #expect(sender.account == address.account && sender.device == address.device && sender.session == session)
        }
        for field in [
            nil, "", "Bearer", "Bearer ", "Basic " + issued.accessToken, "Bearer " + issued.accessToken.dropLast(),
            issued.accessToken,
        ] {
            #expect(throws: APIError.self) { try tokens.sender(authorization: field) }
        }
        // It ends as one that is remembered does.
        #expect(throws: APIError.self) { try tokens.sender(authorization: "Bearer f" + issued.accessToken.dropFirst()) }
        let another = AccessTokens(relay: .random(), keys: secrets.tokenKeys, clock: clock)
        #expect(throws: APIError.self) { try another.sender(authorization: "Bearer " + issued.accessToken) }
        now.withLock { $0 += AccessToken.lifetime - 1 }
        _ = try tokens.sender(authorization: "Bearer " + issued.accessToken)
        now.withLock { $0 += 1 }
        #expect(throws: APIError.self) { try tokens.sender(authorization: "Bearer " + issued.accessToken) }
    }
}

extension AccessTokens {
    fileprivate func sender(authorization field: String?) throws(APIError) -> Sender {
        guard let field else { return try sender(authorization: nil) { _, _ in nil } }
        return try sender(authorization: field.utf8.span) { _, _ in nil }
    }
}
