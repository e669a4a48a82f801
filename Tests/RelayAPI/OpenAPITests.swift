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
        members: [.random()],
        isGroup: true,
        delivered: 8
    )
    private static let message = RoomMessage(
        number: 1,
        generation: 1,
        epoch: 0,
        kind: .application,
        account: .random(),
        device: .random(),
        stored: 5,
        body: Data([1]),
        id: .random(),
        externalPub: Data(count: 32)
    )
    private static let lost = LostNumbers(first: 1, last: 2)
    private static let page = MessagePage(
        first: 1,
        next: 2,
        messages: [message],
        epoch: 3,
        incarnation: .random(),
        lost: [lost]
    )
    private static let item = MailboxItem(
        number: 1,
        kind: .envelope,
        room: .random(),
        body: Data([1]),
        from: .random()
    )
    private static let standing = StandingEntry(id: .random(), standing: .blocked)
    private static let failure = APIError(.staleEpoch, "x", number: 1, generation: 2, epoch: 3, rule: "x")

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
        let closing = Signed(AccountClosing(relay: relay, account: account), by: identity)
        let answer = AccountAnswer(account: account, bundle: bundle, closing: closing)
        let proof = AccountProof(
            authenticator: key,
            time: 1,
            signature: signature,
            otp: "123456",
            recoveryCode: "x"
        )
        return [
            Sample(RelayDescription(relay: relay, version: "1", registration: .open)),
            Sample(LoginParameters(relay: relay, salt: key, memory: 65_536, passes: 3)),
            Sample(bundle), Sample(past),
            Sample(RenewDeviceRequest(bundle: bundle, time: 1, signature: signature, earlierSignature: signature)),
            Sample(
                RegisterRequest(
                    handle: handle,
                    authenticator: key,
                    bundle: bundle,
                    time: 1,
                    signature: signature,
                    invitation: "x"
                )
            ),
            Sample(StandingRequest(account: account, standing: .known)), Sample(standing),
            Sample(StandingList(standings: [standing])), Sample(LinkRequest(expires: 1)),
            Sample(DeletionRequest(proof: proof, closing: closing)), Sample(AccountQuery(accounts: [account])),
            Sample(answer), Sample(AccountAnswers(accounts: [answer])),
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
            Sample(room), Sample(RoomList(rooms: [room])), Sample(SendReceipt(number: 1)), Sample(message),
            Sample(page), Sample(lost), Sample(item),
            Sample(MailboxPage(first: 1, next: 2, items: [item])),
            Sample(BlobState(blob: .random(), size: 1, received: 1)), Sample(failure),
            Sample(APIErrorBody(failure, missed: MessagePage(first: 1, next: 2, messages: [message]))),
            Sample(KeyPackageCount(left: 1, hasLastResort: true)), Sample(ClaimRequest(id: .random(), room: .random())),
        ]
    }

    private static func document() throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(OpenAPIDocument.bytes)) as? [String: Any])
    }

    private static func schemas() throws -> [String: [String: Any]] {
        let components = try #require(try document()["components"] as? [String: Any])
        return try #require(components["schemas"] as? [String: [String: Any]])
    }

    @Test("a schema has the fields of its type, and requires those that the type cannot be read without")
    func schemas() throws {
        let schemas = try Self.schemas()
        var described = Set(schemas.keys).subtracting(["Identifier", "Handle", "Counter"])
        // Forms are no JSON: their fields are of TokenRequestTests.
        described.subtract(["TokenRequest", "RevocationRequest"])
        for sample in try Self.samples() {
            let schema = try #require(schemas[sample.name], "\(sample)")
            described.remove(sample.name)
            let data = try JSONEncoder().encode(sample.value)
            let written = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            let properties = try #require(schema["properties"] as? [String: [String: Any]], "\(sample)")
            let required = Set(try #require(schema["required"] as? [String], "\(sample)"))
            #expect(Set(properties.keys) == Set(written.keys), "\(sample.name)")
            for name in written.keys {
                var shorter = written
                shorter[name] = nil
                let json = try JSONSerialization.data(withJSONObject: shorter)
                let isReadable = (try? sample.read(json)) != nil
                #expect(isReadable == !required.contains(name), "\(sample.name) without \(name)")
                #expect(matches(written[name], properties[name], schemas), "\(sample.name).\(name)")
            }
        }
        #expect(described.isEmpty, "described, but of no type: \(described)")
    }

    /// Whether a value is of the JSON type that its schema says, following references.
    private func matches(_ value: Any?, _ schema: [String: Any]?, _ schemas: [String: [String: Any]]) -> Bool {
        if let reference = schema?["$ref"] as? String {
            return matches(value, schemas[String(reference.split(separator: "/").last ?? "")], schemas)
        }
        guard let type = schema?["type"] as? String else { return false }
        switch type {
        case "string":
            guard let text = value as? String else { return false }
            if let pattern = schema?["pattern"] as? String {
                return (try? Regex(pattern).wholeMatch(in: text)) ?? nil != nil
            }
            if let words = schema?["enum"] as? [String] { return words.contains(text) }
            return true
        case "integer": return value is Int
        case "boolean": return value is Bool
        case "array":
            let items = schema?["items"] as? [String: Any]
            return (value as? [Any])?.allSatisfy { matches($0, items, schemas) } ?? false
        case "object": return value is [String: Any]
        default: return false
        }
    }

    @Test("what a field may hold is what the code holds it against")
    func limits() throws {
        let schemas = try Self.schemas()
        func property(_ schema: String, _ field: String) throws -> [String: Any] {
            let properties = try #require(schemas[schema]?["properties"] as? [String: [String: Any]], "\(schema)")
            return try #require(properties[field], "\(schema).\(field)")
        }
        /// The length of so many bytes in base64.
        func encoded(_ count: Int) -> Int { (count + 2) / 3 * 4 }
        let numbers: [(String, String, String, Int)] = [
            ("RoomMessage", "body", "maxLength", encoded(Limits.message)),
            ("MailboxItem", "body", "maxLength", encoded(Limits.envelope)),
            ("AccountBundle", "earlier", "maxItems", AccountBundle.maximumEarlier),
            ("AccountQuery", "accounts", "maxItems", Limits.queriedAccounts),
            ("AccountAnswers", "accounts", "maxItems", Limits.queriedAccounts),
            ("BlobState", "size", "maximum", Limits.blob), ("BlobState", "received", "maximum", Limits.blob),
            ("RoomState", "generation", "maximum", Int(UInt32.max)),
            ("RoomMessage", "generation", "maximum", Int(UInt32.max)),
            ("APIError", "generation", "maximum", Int(UInt32.max)),
        ]
        for (schema, field, name, limit) in numbers {
            #expect(try property(schema, field)[name] as? Int == limit, "\(schema).\(field)")
        }
        let bytes: [(String, String, Int)] = [
            ("RegisterRequest", "authenticator", LoginGrant.authenticatorSize), ("RegisterRequest", "signature", 64),
            ("AccountProof", "authenticator", LoginGrant.authenticatorSize), ("AccountProof", "signature", 64),
            ("PasswordRequest", "authenticator", LoginGrant.authenticatorSize),
            ("RenewDeviceRequest", "signature", 64), ("RenewDeviceRequest", "earlierSignature", 64),
            ("LoginParameters", "salt", 32), ("SecondFactorSecret", "secret", 20),
            ("RoomMessage", "externalPub", Limits.digest),
        ]
        for (schema, field, count) in bytes {
            let property = try property(schema, field)
            #expect(property["minLength"] as? Int == encoded(count), "\(schema).\(field)")
            #expect(property["maxLength"] as? Int == encoded(count), "\(schema).\(field)")
        }
        let words: [(String, String, [String])] = [
            ("APIError", "code", APIErrorCode.allCases.map(\.rawValue)),
            ("TokenError", "code", APIErrorCode.allCases.map(\.rawValue)),
            ("RelayDescription", "registration", RegistrationMode.allCases.map(\.rawValue)),
            ("StandingRequest", "standing", SenderStanding.allCases.map(\.rawValue)),
            ("StandingEntry", "standing", SenderStanding.allCases.map(\.rawValue)),
            ("AuditEntry", "kind", AuditEntry.Kind.allCases.map(\.rawValue)),
            ("TokenRequest", "grant_type", [LoginGrant.type, TokenRequest.refreshGrantType]),
            ("TokenRequest", "client_assertion_type", [DeviceAssertion.type]),
        ]
        for (schema, field, words) in words {
            #expect(try property(schema, field)["enum"] as? [String] == words, "\(schema).\(field)")
        }
    }

    @Test("what is served is the checked file without white space, and every name that is referred to is there")
    func served() throws {
        let json = try Self.document()
        #expect(json["openapi"] as? String == "3.1.0")
        let file = try JSONSerialization.jsonObject(with: Data(PackageResources.openapi_json))
        #expect(try NSDictionary(dictionary: json).isEqual(to: #require(file as? [String: Any])))
        let dense = try JSONSerialization.data(withJSONObject: json, options: .withoutEscapingSlashes)
        #expect(OpenAPIDocument.bytes.count == dense.count)
        let components = json["components"] as? [String: [String: Any]]
        let text = String(decoding: OpenAPIDocument.bytes, as: UTF8.self)
        for reference in text.matches(of: /#\/components\/([a-z]+)\/([A-Za-z]+)/) {
            #expect(components?[String(reference.1)]?[String(reference.2)] != nil, "\(reference.0)")
        }
    }
}
