import Foundation
import MildamCrypto
import MildamIdentity
import MildamSystem
import Testing

@testable import MildamMessenger

extension Person {
    /// The present session's tokens, and the key that it is bound to.
    package func addTokens(to needles: inout Needles) async throws {
        let (tokens, key) = try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            (try store.record(.session, [])?.tokens, try store.key(.sessionKey, []))
        }
        guard let tokens else { return }
        needles.add("a session's key of \(name), \(needles.count)", try #require(key).secret)
        needles.add("an access token of \(name), \(needles.count)", tokens.access)
        needles.add("a refresh token of \(name), \(needles.count)", Array(tokens.refresh))
    }

    /// Every secret key of the profile, the authenticator that its password gives, and the root key.
    package func addSecrets(to needles: inout Needles, room: String) async throws {
        let room = try await self.room(room)
        let keys = try await Messenger(profile: profile).work { (messenger, store) throws(MessengerError) in
            var keys: [(String, [UInt8])] = []
            for kind in [SecretKind.identityKey, .signingKey, .agreementKey] {
                if let key = try store.key(kind, []) { keys.append((kind.rawValue, key.secret)) }
            }
            for generation in UInt32(1)...3 {
                if let key = try messenger.roomKey(room, generation, store) {
                    keys.append(("room key \(generation)", key.secretKey.secret))
                }
            }
            for entry in try store.entries(of: room, from: 1) {
                if case .accepted(.attachment(let file)) = entry.outcome {
                    keys.append(("the identity of a file", Array(file.identity.utf8)))
                }
            }
            return keys
        }
        #expect(keys.count >= 5)
        for (kind, key) in keys { needles.add("\(kind) of \(name)", key) }
        needles.add("root key of \(name)", try WholeFile.read(folder + "/root.key", limit: 64))
        try await addAuthenticator(of: password, to: &needles)
    }

    /// What the relay is shown in a password's place.
    package func addAuthenticator(of password: String, to needles: inout Needles) async throws {
        let handle = try Handle(name)
        let client = try RelayClient(address: relay, authorityFile: nil, clock: .system)
        let authenticator = try Authenticator(
            password: Password(copying: Array(password.utf8).span),
            handle: handle,
            parameters: try await client.loginParameters(for: handle)
        )
        needles.add("the authenticator of \(password)", Array(authenticator.bytes))
    }
}

extension SymmetricKey {
    /// The bytes, for a test to look for.
    package var secret: [UInt8] { unsafe withUnsafeBytes { unsafe [UInt8]($0) } }
}
