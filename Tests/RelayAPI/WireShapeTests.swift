import Foundation
import MildamIdentity
import Testing

@testable import MildamRelayAPI

/// One JSON value as it travels, with its keys sorted, and how the type it belongs to reads and writes it.
struct Shape: CustomTestStringConvertible {
    let testDescription: String
    let json: String
    let rewritten: @Sendable (String) throws -> String

    init<Value: Codable & SendableMetatype>(_ type: Value.Type, _ json: String) {
        testDescription = "\(type): \(json.prefix(60))"
        self.json = json
        rewritten = { text in
            let value = try JSONDecoder().decode(Value.self, from: Data(text.utf8))
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return String(decoding: try encoder.encode(value), as: UTF8.self)
        }
    }

    // Ids of 16 times a byte: 11, 22, 33, 44, 66 and 77.
    static let relay = "ceirceirceirceirceirceirce"
    static let account = "eirceirceirceirceirceircei"
    static let device = "gmztgmztgmztgmztgmztgmztgm"
    static let room = "irceirceirceirceirceirceiq"
    static let blob = "mztgmztgmztgmztgmztgmztgmy"
    static let session = "o53xo53xo53xo53xo53xo53xo4"

    /// The records of one account, signed in Python with the seed of 32 times the byte 01.
    static let bundle =
        #"{"account":"AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiBWFsaWNliojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SI"#
        + #"AbQPb1wP3I4rOBru6BoIq7tBb0ZjzchjcvepJAkeLpazW9KVm/z+8EHi7wy8d9DGhngq45jxYtDZo4n8Z+F2t8dKbPgG","#
        + #""devices":["AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiMzMzMzMzMzMzMzMzMzMzM4E5dw6ofRdfVqNUZsNMfszL"#
        + #"jYqRtO43ol32D1uPybOUXf7dO2vUf2+ijuFdlp1bsOpTd01Ii9r53xxuASSz7yIAAAAAdzWUAF8TgCLtVnJo/8YXJaKjc9T6"#
        + #"j85GzDHoCURTc3eGL+0I6H8Y74TM05hrhu5ZNzEsSdrz9zytlSLoLYpTIexD/A8="],"#
        + #""list":"AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiAAAAAAAAAAEBMzMzMzMzMzMzMzMzMzMzM7kNjf55UC7XgMNf"#
        + #"XCSThhcW6QBHuw62oQDal0Iu5PC+FSWpyUZteaH/gUz/nTNuyZluR68S2qLnijHdxEE5w3NPcvSLJfmzAXUwEVxb4m8awrKrG"#
        + #"2IPBzLQyL2regn6Ag=="}"#
    /// The same account with list 2: its device has new keys, of the seeds 04 and 05.
    static let renewedBundle =
        #"{"account":"AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiBWFsaWNliojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SI"#
        + #"AbQPb1wP3I4rOBru6BoIq7tBb0ZjzchjcvepJAkeLpazW9KVm/z+8EHi7wy8d9DGhngq45jxYtDZo4n8Z+F2t8dKbPgG","devic"#
        + #"es":["AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiMzMzMzMzMzMzMzMzMzMzM8qTrBcFGHBx1nuDx/8O/oEI6OxFMF"#
        + #"dddyaHkzPb2r58UKYUCbHd0DJemxa3AOcZ6XcsBwALG9d4bpB8ZT0gSV0AAAAAdzWUABkPf9aWhiQRrv5D8WMleih8hTfx7ukxgU"#
        + #"YDUR8XdfQlEjmBy/nEj4mKFfNY50/g0W9kWEt7iMmYyaH9C31twAw="],"earlier":[{"devices":["ARERERERERERERERERE"#
        + #"REREiIiIiIiIiIiIiIiIiIiIiMzMzMzMzMzMzMzMzMzMzM4E5dw6ofRdfVqNUZsNMfszLjYqRtO43ol32D1uPybOUXf7dO2vUf2+"#
        + #"ijuFdlp1bsOpTd01Ii9r53xxuASSz7yIAAAAAdzWUAF8TgCLtVnJo/8YXJaKjc9T6j85GzDHoCURTc3eGL+0I6H8Y74TM05hrhu5"#
        + #"ZNzEsSdrz9zytlSLoLYpTIexD/A8="],"handover":"AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiMzMzMzMzMzMz"#
        + #"MzMzMzMzMzjgLHhFsfqLrV4NKa8tK3NfZNQUFzKvYVb2MFxQf23Z7JQklelB/I/ojJwONEVIQ2Vdfo7p3Dx5vw7UrjEEf0cu3Vof"#
        + #"pUe53YU6suFaCK3E2xDxCtH3e+3+Eo5UOb89+ys1FP7XNbNX0FGi51/EgmXvvlKZ6H45Iq5j+jgpIhIO","list":"ARERERERER"#
        + #"EREREREREREREiIiIiIiIiIiIiIiIiIiIiAAAAAAAAAAEBMzMzMzMzMzMzMzMzMzMzM7kNjf55UC7XgMNfXCSThhcW6QBHuw62oQ"#
        + #"Dal0Iu5PC+FSWpyUZteaH/gUz/nTNuyZluR68S2qLnijHdxEE5w3NPcvSLJfmzAXUwEVxb4m8awrKrG2IPBzLQyL2regn6Ag=="}"#
        + #"],"list":"AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIiAAAAAAAAAAIBMzMzMzMzMzMzMzMzMzMzM04TPkoyYuY45C"#
        + #"XXPlwYsm2++S48ZVYL/CwI4lHalS94fQJLft5RLXlGfKl0+i1jTrqTW5RqSWb3nscjO72tIibsIribW0IlJrseSu+W35SYnPa0cy"#
        + #"m6f0SNs42AL7cfDw=="}"#
    /// The same account's end; nobody has signed it.
    static let closing = "AREREREREREREREREREREREiIiIiIiIiIiIiIiIiIiIi" + String(repeating: "A", count: 86) + "=="
    static let state =
        #"{"epoch":0,"first":1,"generation":2,"members":["\#(account)"],"next":18446744073709551615,"#
        + #""renewalDue":false,"room":"\#(room)"}"#
    static let groupState =
        #"{"delivered":7,"epoch":3,"first":1,"generation":2,"isGroup":true,"members":["\#(account)"],"next":9,"#
        + #""renewalDue":false,"room":"\#(room)"}"#
    static let roomMessage =
        #"{"account":"\#(account)","body":"AP+/","device":"\#(device)","epoch":0,"generation":1,"#
        + #""kind":"application","number":1,"stored":1700000000000}"#

    static let item =
        #"{"body":"AA==","from":"\#(account)","isRequest":true,"kind":"envelope","number":1,"room":"\#(room)"}"#

    static let accounts = [
        Shape(AccountBundle.self, bundle),
        Shape(RelayDescription.self, #"{"registration":"open","relay":"\#(relay)","version":"0.1.0"}"#),
        Shape(RelayDescription.self, #"{"registration":"invite","relay":"\#(relay)","version":"0.1.0"}"#),
        Shape(LoginParameters.self, #"{"memory":65536,"passes":3,"relay":"\#(relay)","salt":"AAEC"}"#),
        Shape(
            RegisterRequest.self,
            #"{"authenticator":"AAEC","bundle":\#(bundle),"handle":"alice","signature":"AA==","time":1700000000}"#
        ),
        Shape(
            RegisterRequest.self,
            #"{"authenticator":"AAEC","bundle":\#(bundle),"handle":"alice","invitation":"x","signature":"AA==","#
                + #""time":1700000000}"#
        ),
        Shape(
            PasswordRequest.self,
            #"{"authenticator":"AAEC","proof":{"authenticator":"AAEC","otp":"123456","recoveryCode":"x","#
                + #""signature":"AA==","time":1700000000}}"#
        ),
        Shape(ConfirmSecondFactorRequest.self, #"{"otp":"123456"}"#),
        Shape(SecondFactorState.self, #"{"isActive":true,"recoveryCodes":9}"#),
        Shape(SecondFactorSecret.self, #"{"secret":"AAEC","uri":"otpauth://totp/x"}"#),
        Shape(RecoveryCodes.self, #"{"codes":["aaaa-bbbb"]}"#),
        Shape(
            SessionList.self,
            #"{"sessions":[{"begun":1,"device":"\#(device)","isCurrent":true,"refreshed":2,"session":"\#(session)"}]}"#
        ),
        Shape(
            AuditLog.self,
            #"{"entries":[{"count":2,"kind":"logged_in","time":1}]}"#
        ),
        Shape(AccountBundle.self, renewedBundle),
        Shape(
            DeletionRequest.self,
            #"{"closing":"\#(closing)","proof":{"authenticator":"AAEC","signature":"AA==","time":1700000000}}"#
        ),
        Shape(AccountAnswers.self, #"{"accounts":[{"account":"\#(account)","closing":"\#(closing)"}]}"#),
        Shape(AccountQuery.self, #"{"accounts":["\#(account)"]}"#),
        Shape(AccountAnswers.self, #"{"accounts":[{"account":"\#(account)"}]}"#),
        Shape(AccountAnswers.self, #"{"accounts":[{"account":"\#(account)","bundle":\#(bundle)}]}"#),
        Shape(
            RenewDeviceRequest.self,
            #"{"bundle":\#(renewedBundle),"earlierSignature":"AA==","signature":"AQ==","time":1700000000}"#
        ),
        Shape(
            TokenAnswer.self,
            #"{"access_token":"a.b.c","expires_in":300,"refresh_token":"\#(session).x","token_type":"DPoP"}"#
        ),
        Shape(TokenError.self, #"{"code":"session_ended","error":"invalid_grant","error_description":"why"}"#),
        Shape(
            ServerMetadata.self,
            #"{"dpop_signing_alg_values_supported":["ES256"],"grant_types_supported":["\#(LoginGrant.type)","#
                + #""refresh_token"],"issuer":"https://r","response_types_supported":[],"#
                + #""revocation_endpoint":"https://r/v1/revocation","token_endpoint":"https://r/v1/token"}"#
        ),
    ]

    static let rooms = [
        Shape(RoomState.self, state),
        Shape(RoomState.self, groupState),
        Shape(RoomList.self, #"{"rooms":[\#(state)]}"#),
        Shape(RoomList.self, #"{"rooms":[\#(groupState)]}"#),
        Shape(RoomList.self, #"{"rooms":[]}"#),
        Shape(SendReceipt.self, #"{"number":7}"#),
        Shape(RoomMessage.self, roomMessage),
        Shape(RoomMessage.self, roomMessage.replacing("application", with: "membership")),
        Shape(RoomMessage.self, roomMessage.replacing("application", with: "generation")),
        Shape(
            RoomMessage.self,
            roomMessage.replacing("application", with: "commit")
                .replacing(#""generation""#, with: #""externalPub":"AAEC","generation""#)
        ),
        Shape(RoomMessage.self, roomMessage.replacing(#""kind""#, with: #""id":"\#(session)","kind""#)),
        Shape(MessagePage.self, #"{"first":1,"messages":[\#(roomMessage)],"next":2}"#),
        Shape(
            MessagePage.self,
            #"{"epoch":3,"first":1,"incarnation":"\#(relay)","lost":[{"first":4,"last":9}],"messages":[],"next":10}"#
        ),
        Shape(BlobState.self, #"{"blob":"\#(blob)","received":1048576,"size":4294967296}"#),
        Shape(MailboxItem.self, item),
        Shape(MailboxItem.self, item.replacing("envelope", with: "welcome")),
        Shape(MailboxItem.self, item.replacing(#""from":"\#(account)","#, with: "")),
        Shape(MailboxPage.self, #"{"first":1,"items":[\#(item)],"next":2}"#),
        Shape(StandingRequest.self, #"{"account":"\#(account)","standing":"known"}"#),
        Shape(StandingRequest.self, #"{"account":"\#(account)","standing":"blocked"}"#),
        Shape(StandingList.self, #"{"standings":[{"id":"\#(session)","standing":"blocked"}]}"#),
        Shape(LinkRequest.self, #"{"expires":1700000000}"#),
        Shape(KeyPackageCount.self, #"{"hasLastResort":true,"left":25}"#),
    ]

    static let live = [
        Shape(LiveRequest.self, #"{"subscribe":{"from":1,"room":"\#(room)"}}"#),
        Shape(LiveRequest.self, #"{"unsubscribe":{"room":"\#(room)"}}"#),
        Shape(LiveRequest.self, #"{"acknowledge":{"number":7,"room":"\#(room)"}}"#),
        Shape(LiveRequest.self, #"{"renew":{"access":"a.b.c"}}"#),
        Shape(LiveRequest.self, #"{"renew":{"access":"a.b.c","proof":"d.e.f"}}"#),
        Shape(LiveEvent.self, #"{"renewed":{"until":1700000000}}"#),
        Shape(LiveEvent.self, #"{"message":{"message":\#(roomMessage),"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"behind":{"from":9,"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"hello":{"incarnation":"\#(relay)"}}"#),
        Shape(LiveEvent.self, #"{"lost":{"first":2,"last":9,"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"mailbox":{"next":2}}"#),
        Shape(LiveEvent.self, #"{"removed":{"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"generation":{"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"groupInfo":{"room":"\#(room)"}}"#),
        Shape(LiveEvent.self, #"{"refused":{"error":{"code":"not_a_member","message":"no"}}}"#),
        Shape(APIErrorBody.self, #"{"error":{"code":"gone","message":"no","number":5}}"#),
        Shape(
            APIErrorBody.self,
            #"{"error":{"code":"stale_epoch","epoch":0,"generation":2,"message":"no"}}"#
        ),
        Shape(
            APIErrorBody.self,
            #"{"error":{"code":"stale_epoch","epoch":3,"generation":2,"message":"no"},"missed":{"epoch":3,"first":1,"#
                + #""incarnation":"\#(relay)","lost":[{"first":1,"last":1}],"messages":[\#(roomMessage)],"next":2}}"#
        ),
        Shape(
            APIErrorBody.self,
            #"{"error":{"code":"invalid_commit","message":"no","rule":"inviterMayInvite"}}"#
        ),
    ]

    static let all = accounts + rooms + live
}

@Suite("protocol.md, Requests: the JSON between client and relay")
struct WireShapeTests {
    @Test("Read and written alike", arguments: Shape.all)
    func roundTrip(_ shape: Shape) throws {
        #expect(try shape.rewritten(shape.json) == shape.json)
    }

    @Test("Unknown fields are passed over", arguments: Shape.accounts + Shape.rooms)
    func unknownField(_ shape: Shape) throws {
        #expect(try shape.rewritten(#"{"later":[{}],"# + shape.json.dropFirst()) == shape.json)
    }

    /// Each value in turn becomes one of another type, and each field in turn goes missing.
    @Test("Wrong types and missing fields", arguments: Shape.all)
    func wrongType(_ shape: Shape) throws {
        let whole = try JSONSerialization.jsonObject(with: Data(shape.json.utf8))
        for place in Self.places(in: whole, []) {
            let optional = [
                "earlier", "number", "generation", "epoch", "otp", "recoveryCode", "proof", "invitation",
                "externalPub", "incarnation", "lost", "delivered", "isGroup", "missed", "rule",
            ]
            let isItems = place.last as? String == "from" && (place.count == 1 || place.first as? String == "items")
            let isAnswered =
                ["bundle", "closing"].contains(place.last as? String) && place.first as? String == "accounts"
            let isOfMessage = place.last as? String == "id" && place.first as? String != "standings"
            let isOptional =
                isItems || isAnswered || isOfMessage || optional.contains(place.last as? String ?? "")
            for wrong: Any? in [nil, NSNull(), true, 1.5, "\u{1F338}", [[]], ["x": 1]] {
                if isOptional, wrong == nil || wrong is NSNull { continue }
                // Without its only element, the whole array goes.
                if wrong == nil, ["earlier", "lost"].contains(place.dropLast().last as? String) { continue }
                if wrong as? String != nil, Self.takesAnyText(place) { continue }
                let flags = ["renewalDue", "isCurrent", "isActive", "isRequest", "isGroup", "hasLastResort"]
                if wrong as? Bool == true, flags.contains(place.last as? String ?? "") { continue }
                let altered = Self.replacing(place[...], in: whole, with: wrong)
                guard let altered else { continue }
                let data = try JSONSerialization.data(withJSONObject: altered, options: [.fragmentsAllowed])
                let text = String(decoding: data, as: UTF8.self)
                #expect(throws: DecodingError.self, "\(text)") { try shape.rewritten(text) }
            }
        }
    }

    @Test(
        "Values beyond their bounds",
        arguments: [
            Shape(SendReceipt.self, #"{"number":-1}"#), Shape(SendReceipt.self, #"{"number":18446744073709551616}"#),
            Shape(SendReceipt.self, #"{"number":1e3.5}"#), Shape(SendReceipt.self, #"{"number":"1"}"#),
            Shape(BlobState.self, #"{"blob":"\#(Shape.blob)","received":0,"size":9223372036854775808}"#),
            Shape(RoomMessage.self, Shape.roomMessage.replacing(#""generation":1"#, with: #""generation":4294967296"#)),
            Shape(RoomMessage.self, Shape.roomMessage.replacing("AP+/", with: "AP+")),
            Shape(RoomMessage.self, Shape.roomMessage.replacing("AP+/", with: "A P=")),
            Shape(RoomMessage.self, Shape.roomMessage.replacing(Shape.device, with: Shape.device.uppercased())),
            Shape(RoomMessage.self, Shape.roomMessage.replacing("application", with: "banned")),
            Shape(
                MailboxItem.self,
                #"{"body":"AA==","kind":"welcome","number":1,"room":"aaaaaaaaaaaaaaaaaaaaaaaaaa"}"#
            ),
            Shape(LiveRequest.self, #"{"unsubscribe":{"room":"\#(Shape.room)"},"subscribe":{}}"#),
            Shape(LiveRequest.self, "{}"), Shape(LiveEvent.self, #"{"later":{}}"#),
            Shape(APIErrorBody.self, #"{"error":{"code":"later","message":"no"}}"#),
        ]
    )
    func beyondBounds(_ shape: Shape) {
        #expect(throws: DecodingError.self) { try shape.rewritten(shape.json) }
    }

    @Test func messageKindsAreStoredAsNumbers() {
        #expect(MessageKind.application.code == 0 && MessageKind.membership.code == 1)
        #expect(MessageKind.proposal.code == 2 && MessageKind.commit.code == 3)
        #expect(MessageKind.generation.code == 4)
        for code in Int64(-1)...5 {
            #expect(MessageKind(code: code).map(\.code) == ((0...4).contains(code) ? code : nil))
        }
    }

    // MARK: Walking through JSON

    /// The way to each value below the top.
    private static func places(in value: Any, _ path: [Any]) -> [[Any]] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { [path + [$0.key]] + places(in: $0.value, path + [$0.key]) }
        case let array as [Any]:
            array.indices.flatMap { [path + [$0]] + places(in: array[$0], path + [$0]) }
        default: []
        }
    }

    private static func takesAnyText(_ place: [Any]) -> Bool {
        guard let name = place.last as? String else {
            return ["codes", "grant_types_supported", "dpop_signing_alg_values_supported"].contains(
                place.first as? String
            )
        }
        // An event's name and a field can be alike: only the text of an error is free.
        let free = [
            "version", "access", "access_token", "token_type", "refresh_token", "error", "error_description", "issuer",
            "token_endpoint", "revocation_endpoint", "uri", "otp", "recoveryCode", "proof", "invitation",
            "rule",
        ]
        return free.contains(name) || name == "message" && place.contains { $0 as? String == "error" }
    }

    /// The value with what lies at `path` replaced, or taken away; `nil` when an element of an array would go.
    private static func replacing(_ path: ArraySlice<Any>, in value: Any, with new: Any?) -> Any? {
        guard let first = path.first else { return new }
        if var object = value as? [String: Any], let name = first as? String, let old = object[name] {
            object[name] = replacing(path.dropFirst(), in: old, with: new)
            return object
        }
        if var array = value as? [Any], let index = first as? Int {
            guard let element = replacing(path.dropFirst(), in: array[index], with: new) else { return nil }
            array[index] = element
            return array
        }
        return nil
    }
}
