import Foundation
import MildamContent
import MildamCrypto
import MildamIdentity
import MildamSystem
import Testing

@testable import MildamClientStore
@testable import MildamMLS
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

    /// Every secret key of the profile, those of a room's group and files, the authenticator that its password gives, and the
    /// root key.
    package func addSecrets(to needles: inout Needles, room: String) async throws {
        let room = try await self.room(room)
        let own = try await Messenger(profile: profile).work { (_, store) throws(MessengerError) in
            var keys: [(String, [UInt8])] = []
            for kind in [SecretKind.identityKey, .nextIdentityKey, .signingKey, .agreementKey] {
                if let key = try store.key(kind, []) { keys.append((kind.rawValue, key.secret)) }
            }
            return keys
        }
        let keys = own + (try await secrets(of: room))
        #expect(keys.count >= 5)
        for (kind, key) in keys { needles.add("\(kind) of \(name)", key) }
        needles.add("root key of \(name)", try WholeFile.read(folder + "/root.key", limit: 64))
        try await addAuthenticator(of: password, to: &needles)
    }

    /// What a room's group has secret in its present epoch, and the identities of its files.
    private func secrets(of room: RoomID) async throws -> [(String, [UInt8])] {
        let store = try await Messenger(profile: profile).roomStore()
        var keys: [(String, [UInt8])] = []
        if let secrets = try store.group(of: room)?.epoch.secrets {
            keys += [
                ("the exporter secret", secrets.exporter.secret), ("the init secret", secrets.initSecret.secret),
                ("the sender data secret", secrets.senderData.secret), ("the external secret", secrets.external.secret),
                ("the membership key", secrets.membershipKey.secret),
                ("the resumption secret", secrets.resumptionPSK.secret),
            ]
        }
        for entry in try store.entries(of: room, .last(1_000)) {
            guard case .content(let bytes) = entry.kind,
                case .attachment(let file)? = (try? MimiContent(encoded: bytes))?.kind
            else { continue }
            keys.append(("the identity of a file", file.identity.secret))
        }
        return keys
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
