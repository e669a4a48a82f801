import MildamIdentity

extension OpenAPIDocument {
    /// The types that travel, by their names.
    static let schemas: [String: JSONNode] = common.merging(requests) { first, _ in first }
        .merging(answers) { first, _ in first }

    private static let common: [String: JSONNode] = [
        "Identifier": [
            "type": "string",
            "description": "16 bytes in lower-case base32.",
            "pattern": "^[a-z2-7]{25}[aeimquy4]$",
        ],
        "Handle": ["type": "string", "pattern": "^[a-z0-9_.-]{3,32}$"],
        "Counter": [
            "type": "integer",
            "description": "From 0 to 2^64 - 1.",
            "minimum": 0,
        ],
        "AccountBundle": bundle,
        "EarlierDevices": object(["list": record, "devices": records, "handover": record]),
        "AddressedEnvelope": object(
            ["account": identifier, "device": identifier, "body": bytes(atMost: Limits.envelope)]
        ),
        "MembershipChange": object(
            [
                "action": words("add", "remove", "leave", "renew"),
                "accounts": ["type": "array", "items": identifier, "maxItems": .number(Limits.changedMembers)],
                "after": counter,
                "envelopes": [
                    "type": "array", "items": reference("AddressedEnvelope"), "maxItems": .number(Limits.envelopes),
                ],
            ]
        ),
    ]

    private static let requests: [String: JSONNode] = [
        "RegisterRequest": object(
            [
                "handle": handle, "authenticator": bytes(exactly: 32), "bundle": reference("AccountBundle"),
                "time": time, "signature": bytes(exactly: 64),
            ]
        ),
        "TokenRequest": object(
            [
                "grant_type": words(LoginGrant.type, TokenRequest.refreshGrantType), "handle": handle,
                "authenticator": ["type": "string", "description": "32 bytes in base64url."], "code": otp,
                "recovery_code": recoveryCode, "refresh_token": ["type": "string", "maxLength": 70],
                "client_assertion_type": words(DeviceAssertion.type),
                "client_assertion": ["type": "string", "description": "88 bytes in base64url.", "maxLength": 118],
            ],
            optional: ["handle", "authenticator", "code", "recovery_code", "refresh_token"]
        ),
        "RevocationRequest": object(
            ["token": ["type": "string"], "token_type_hint": ["type": "string"]],
            optional: ["token_type_hint"]
        ),
        "AccountProof": object(
            [
                "authenticator": bytes(exactly: 32), "time": time, "signature": bytes(exactly: 64), "otp": otp,
                "recoveryCode": recoveryCode,
            ],
            optional: ["otp", "recoveryCode"]
        ),
        "PasswordRequest": object(["proof": reference("AccountProof"), "authenticator": bytes(exactly: 32)]),
        "ConfirmSecondFactorRequest": object(["otp": otp]),
        "RenewDeviceRequest": object(
            [
                "bundle": reference("AccountBundle"), "time": time, "signature": bytes(exactly: 64),
                "earlierSignature": bytes(exactly: 64),
            ]
        ),
        "CreateRoomRequest": object(["room": identifier]),
        "SendRequest": object(
            [
                "id": identifier, "generation": small, "epoch": counter, "body": bytes(atMost: Limits.message),
                "change": reference("MembershipChange"),
            ],
            optional: ["change"]
        ),
    ]

    private static let answers: [String: JSONNode] = [
        "RelayDescription": answer(["relay": identifier, "version": ["type": "string"]]),
        "LoginParameters": answer(
            [
                "relay": identifier, "salt": bytes(exactly: 32),
                "memory": ["type": "integer", "description": "Argon2id memory in KiB.", "minimum": 65536],
                "passes": ["type": "integer", "minimum": 3],
            ]
        ),
        "TokenAnswer": answer(
            [
                "access_token": ["type": "string"], "token_type": words("DPoP", "Bearer"),
                "expires_in": ["type": "integer", "description": "Seconds.", "minimum": 1],
                "refresh_token": ["type": "string"],
            ]
        ),
        "TokenError": answer(
            [
                "error": ["type": "string"], "error_description": ["type": "string"],
                "code": .object(["type": "string", "enum": .list(APIErrorCode.allCases.map { .text($0.rawValue) })]),
            ]
        ),
        "ServerMetadata": answer(
            [
                "issuer": ["type": "string"], "token_endpoint": ["type": "string"],
                "revocation_endpoint": ["type": "string"], "grant_types_supported": texts,
                "response_types_supported": texts, "dpop_signing_alg_values_supported": texts,
            ]
        ),
        "SessionDescription": answer(
            [
                "session": identifier, "device": identifier, "begun": time, "refreshed": time,
                "isCurrent": ["type": "boolean"],
            ]
        ),
        "SessionList": answer(["sessions": list(of: "SessionDescription")]),
        "SecondFactorState": answer(
            ["isActive": ["type": "boolean"], "recoveryCodes": .object(APIOperation.integer(0...10))]
        ),
        "SecondFactorSecret": answer(["secret": bytes(exactly: 20), "uri": ["type": "string"]]),
        "RecoveryCodes": answer(["codes": texts]),
        "AuditEntry": answer(
            [
                "kind": .object(["type": "string", "enum": .list(AuditEntry.Kind.allCases.map { .text($0.rawValue) })]),
                "time": time, "count": .object(APIOperation.integer(1...1_000_000_000)), "session": identifier,
                "device": identifier,
            ],
            optional: ["session", "device"]
        ),
        "AuditLog": answer(["entries": list(of: "AuditEntry")]),
        "RoomState": answer(
            [
                "room": identifier, "generation": small, "epoch": counter, "renewalDue": ["type": "boolean"],
                "first": counter, "next": counter, "members": ["type": "array", "items": identifier],
            ]
        ),
        "RoomList": answer(["rooms": list(of: "RoomState")]),
        "SendReceipt": answer(["number": counter]),
        "RoomMessage": answer(
            [
                "number": counter, "generation": small, "epoch": counter, "kind": words("application", "membership"),
                "account": identifier, "device": identifier, "stored": ["type": "integer"],
                "body": bytes(atMost: Limits.message),
            ]
        ),
        "MessagePage": answer(["first": counter, "next": counter, "messages": list(of: "RoomMessage")]),
        "MailboxItem": answer(
            ["number": counter, "kind": words("envelope"), "room": identifier, "body": bytes(atMost: Limits.envelope)]
        ),
        "MailboxPage": answer(["first": counter, "next": counter, "items": list(of: "MailboxItem")]),
        "BlobState": answer(["blob": identifier, "size": length, "received": length]),
        "APIError": answer(
            [
                "code": .object(["type": "string", "enum": .list(APIErrorCode.allCases.map { .text($0.rawValue) })]),
                "message": ["type": "string"], "number": counter, "generation": small, "epoch": counter,
            ],
            optional: ["number", "generation", "epoch"]
        ),
        "APIErrorBody": answer(["error": reference("APIError")]),
    ]

    private static let bundle = object(
        [
            "account": record, "list": record, "devices": records,
            "earlier": [
                "type": "array", "items": reference("EarlierDevices"),
                "maxItems": .number(AccountBundle.maximumEarlier),
            ],
        ],
        optional: ["earlier"]
    )
    private static let record: JSONNode = [
        "type": "string",
        "contentEncoding": "base64",
        "description": "A signed record, encoded as Documentation/protocol.md says.",
    ]
    private static let records: JSONNode = ["type": "array", "items": record]

    // MARK: Parts

    private static let identifier = reference("Identifier")
    private static let handle = reference("Handle")
    private static let counter = reference("Counter")
    private static let small: JSONNode = .object(APIOperation.integer(0...UInt64(UInt32.max)))
    private static let length: JSONNode = .object(APIOperation.integer(0...UInt64(Limits.blob)))
    private static let time: JSONNode = ["type": "integer", "description": "Seconds since 1970."]

    private static let texts: JSONNode = ["type": "array", "items": ["type": "string"]]
    private static let otp: JSONNode = ["type": "string", "pattern": "^[0-9]{6}$"]
    private static let recoveryCode: JSONNode = ["type": "string", "maxLength": 64]

    private static func reference(_ name: String) -> JSONNode { ["$ref": .text("#/components/schemas/\(name)")] }

    private static func list(of name: String) -> JSONNode { ["type": "array", "items": reference(name)] }

    private static func words(_ words: String...) -> JSONNode {
        ["type": "string", "enum": .list(words.map { .text($0) })]
    }

    private static func bytes(exactly count: Int) -> JSONNode { bytes(from: count, to: count) }

    private static func bytes(atMost count: Int) -> JSONNode { bytes(from: 0, to: count) }

    /// Bytes in base64 with padding: four characters for each three.
    private static func bytes(from least: Int, to most: Int) -> JSONNode {
        [
            "type": "string", "contentEncoding": "base64", "pattern": "^[A-Za-z0-9+/]*={0,2}$",
            "minLength": .number((least + 2) / 3 * 4), "maxLength": .number((most + 2) / 3 * 4),
        ]
    }

    private static func object(_ members: [String: JSONNode], optional: Set<String> = []) -> JSONNode {
        [
            "type": "object", "properties": .object(members),
            "required": .list(members.keys.filter { !optional.contains($0) }.sorted().map { .text($0) }),
        ]
    }

    /// What the relay writes has no member that is not named here.
    private static func answer(_ members: [String: JSONNode], optional: Set<String> = []) -> JSONNode {
        var schema = object(members, optional: optional)
        schema["additionalProperties"] = false
        return schema
    }
}
