import Foundation
import MildamCrypto
import MildamIdentity
import Testing

@testable import MildamRelayAPI

/// The document is held against the types that really travel: what they write, and what they can be read without.
@Suite("OpenAPI document")
struct OpenAPITests {
    /// A value of each type, with every field it may have, and how it is read.
    private struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let value: any Codable & Sendable
        let read: @Sendable (Data) throws -> Void
        var testDescription: String { name }

        init<Value: Codable & Sendable>(_ value: Value) {
            name = "\(Value.self)"
            self.value = value
            read = { _ = try JSONDecoder().decode(Value.self, from: $0) }
        }
    }

    private static let room = RoomState(
        room: .random(),
        generation: 1,
        epoch: 2,
        renewalDue: false,
        first: 1,
        next: 9,
        members: [.random()]
    )
    private static let message = RoomMessage(
        number: 1,
        generation: 1,
        epoch: 0,
        kind: .application,
        account: .random(),
        device: .random(),
        stored: 5,
        body: Data([1])
    )
    private static let envelope = AddressedEnvelope(account: .random(), device: .random(), body: Data([1]))
    private static let change = MembershipChange(
        action: .add,
        accounts: [.random()],
        after: 1,
        envelopes: [envelope]
    )
    private static let item = MailboxItem(number: 1, kind: .envelope, room: .random(), body: Data([1]))
    private static let failure = APIError(.staleEpoch, "x", number: 1, generation: 2, epoch: 3)

    private static let session = SessionDescription(
        session: .random(),
        device: .random(),
        begun: 1,
        refreshed: 2,
        isCurrent: true
    )
    private static let entry = AuditEntry(kind: .loggedIn, time: 1, count: 2, session: .random(), device: .random())

    private static func samples() throws -> [Sample] {
        let handle = try Handle("alice")
        let identity = Curve25519.Signing.PrivateKey()
        let (relay, account) = (RelayID.random(), AccountID.random())
        let keys = DeviceKeys()
        let device = keys.record(relay: relay, account: account, notAfter: 1)
        let first = AccountBundle(
            account: Signed(
                AccountRecord(relay: relay, account: account, handle: handle, identityKey: identity.publicKey),
                by: identity
            ),
            list: Signed(DeviceList(relay: relay, account: account, number: 1, records: [device]), by: identity),
            devices: [Signed(device, by: identity)]
        )
        let renewed = DeviceKeys(device: keys.device, signing: .init(), agreement: .init())
            .record(relay: relay, account: account, notAfter: 1)
        let bundle = try #require(first.renewing(renewed, handedOverBy: keys.signing, identity: identity))
        let past = try #require(bundle.earlier.first)
        let (key, signature) = (Data(count: 32), Data(count: 64))
        let proof = AccountProof(
            authenticator: key,
            time: 1,
            signature: signature,
            otp: "123456",
            recoveryCode: "x"
        )
        return [
            Sample(RelayDescription(relay: relay, version: "1")),
            Sample(LoginParameters(relay: relay, salt: key, memory: 65_536, passes: 3)),
            Sample(bundle), Sample(past),
            Sample(RenewDeviceRequest(bundle: bundle, time: 1, signature: signature, earlierSignature: signature)),
            Sample(RegisterRequest(handle: handle, authenticator: key, bundle: bundle, time: 1, signature: signature)),
            Sample(proof), Sample(PasswordRequest(proof: proof, authenticator: key)),
            Sample(session), Sample(SessionList(sessions: [session])),
            Sample(SecondFactorState(isActive: true, recoveryCodes: 1)),
            Sample(SecondFactorSecret(secret: Data(count: 20), uri: "otpauth:")),
            Sample(ConfirmSecondFactorRequest(otp: "123456")), Sample(RecoveryCodes(codes: ["x"])),
            Sample(entry), Sample(AuditLog(entries: [entry])),
            Sample(
                TokenAnswer(
                    accessToken: "x",
                    isBound: true,
                    expiresIn: 300,
                    refreshToken: RefreshToken(session: .random(), secret: [UInt8](key))
                )
            ),
            Sample(TokenError(failure, isRefresh: true)), Sample(ServerMetadata(issuer: "https://relay.example")),
            Sample(CreateRoomRequest(room: .random())), Sample(room), Sample(RoomList(rooms: [room])),
            Sample(SendRequest(id: .random(), generation: 1, body: Data([1]), change: change)), Sample(change),
            Sample(envelope), Sample(SendReceipt(number: 1)), Sample(message),
            Sample(MessagePage(first: 1, next: 2, messages: [message])), Sample(item),
            Sample(MailboxPage(first: 1, next: 2, items: [item])),
            Sample(BlobState(blob: .random(), size: 1, received: 1)), Sample(failure), Sample(APIErrorBody(failure)),
        ]
    }

    @Test("a schema has the fields of its type, and requires those that the type cannot be read without")
    func schemas() throws {
        var described = Set(OpenAPIDocument.schemas.keys).subtracting(["Identifier", "Handle", "Counter"])
        // Forms are no JSON: their fields are of TokenRequestTests.
        described.subtract(["TokenRequest", "RevocationRequest"])
        for sample in try Self.samples() {
            let schema = try #require(OpenAPIDocument.schemas[sample.name], "\(sample)")
            described.remove(sample.name)
            let data = try JSONEncoder().encode(sample.value)
            let written = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            guard case .object(let properties)? = schema["properties"], case .list(let list)? = schema["required"]
            else {
                Issue.record("\(sample.name) has no properties")
                continue
            }
            #expect(Set(properties.keys) == Set(written.keys), "\(sample.name)")
            let required = Set(
                list.map { if case .text(let name) = $0 { name } else { "" } }
            )
            for name in written.keys {
                var shorter = written
                shorter[name] = nil
                let json = try JSONSerialization.data(withJSONObject: shorter)
                let isReadable = (try? sample.read(json)) != nil
                #expect(isReadable == !required.contains(name), "\(sample.name) without \(name)")
                #expect(matches(written[name], properties[name]), "\(sample.name).\(name)")
            }
        }
        #expect(described.isEmpty, "described, but of no type: \(described)")
    }

    /// Whether a value is of the JSON type that its schema says, following references.
    private func matches(_ value: Any?, _ schema: JSONNode?) -> Bool {
        if case .text(let reference)? = schema?["$ref"] {
            return matches(value, OpenAPIDocument.schemas[String(reference.split(separator: "/").last ?? "")])
        }
        guard case .text(let type)? = schema?["type"] else { return false }
        switch type {
        case "string":
            guard let text = value as? String else { return false }
            if case .text(let pattern)? = schema?["pattern"] {
                return (try? Regex(pattern).wholeMatch(in: text)) ?? nil != nil
            }
            if case .list(let words)? = schema?["enum"] { return words.contains(.text(text)) }
            return true
        case "integer": return value is Int
        case "boolean": return value is Bool
        case "array": return (value as? [Any])?.allSatisfy { matches($0, schema?["items"]) } ?? false
        case "object": return value is [String: Any]
        default: return false
        }
    }

    @Test("every route is there, every name that is referred to is there, and every operation has a name of its own")
    func complete() throws {
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any]
        )
        #expect(json["openapi"] as? String == "3.1.0")
        let paths = try #require(json["paths"] as? [String: [String: Any]])
        #expect(Set(paths.keys) == Set(Route.Kind.allCases.map(\.template)))
        let names = APIOperation.all.map { "\($0.method)_\($0.route)" }
        #expect(Set(names).count == names.count)
        let text = String(decoding: OpenAPIDocument.bytes, as: UTF8.self)
        for reference in text.matches(of: /#\/components\/([a-z]+)\/([A-Za-z]+)/) {
            let components = json["components"] as? [String: [String: Any]]
            #expect(components?[String(reference.1)]?[String(reference.2)] != nil, "\(reference.0)")
        }
    }

    @Test("every code of an error is refused with by some route")
    func codes() {
        let said = Set(APIOperation.all.flatMap(\.codes))
        // A path that is no route has no operation.
        #expect(Set(APIErrorCode.allCases).subtracting(said) == [.unknownRoute])
    }
}
