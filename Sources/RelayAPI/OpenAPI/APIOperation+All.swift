extension APIOperation {
    /// Every operation there is.
    static let all = open + sessions + account + rooms + blobs + device

    private static let open = [
        APIOperation(
            method: "get",
            route: .relay,
            summary: "Who the relay is.",
            isOpen: true,
            success: .json(200, "RelayDescription")
        ),
        APIOperation(
            method: "get",
            route: .document,
            summary: "What all routes take and answer.",
            isOpen: true,
            success: .document
        ),
        APIOperation(
            method: "get",
            route: .login,
            summary: "How to derive the authenticator for a handle, be it taken or not.",
            isOpen: true,
            success: .json(200, "LoginParameters")
        ),
        APIOperation(
            method: "post",
            route: .accounts,
            summary: "Register an account with its first device.",
            isOpen: true,
            body: .json("RegisterRequest"),
            success: .json(201, "TokenAnswer"),
            refusals: [
                .badIdentity, .handleTaken, .wrongCredentials, .invalidProof, .nonceNeeded, .storageFull,
            ]
        ),
        APIOperation(
            method: "get",
            route: .account,
            summary: "An account's records.",
            success: .json(200, "AccountBundle"),
            refusals: [.unknownAccount]
        ),
        APIOperation(
            method: "put",
            route: .devices,
            summary: "Take the account's next device list, in which the calling device has new keys.",
            body: .json("RenewDeviceRequest"),
            success: .nothing,
            refusals: [.badIdentity, .staleList, .unknownAccount, .wrongCredentials, .storageFull]
        ),
        APIOperation(
            method: "post",
            route: .token,
            summary:
                "Log a device in, or exchange a refresh token for its successor (RFC 6749). With a proof of possession in "
                + "the DPoP field (RFC 9449) the session is bound to its key.",
            isOpen: true,
            body: .form("TokenRequest"),
            success: .json(200, "TokenAnswer"),
            refusals: [
                .wrongCredentials, .secondFactorRequired, .wrongCode, .sessionEnded, .unsupportedGrant, .invalidProof,
                .nonceNeeded, .storageFull,
            ]
        ),
        APIOperation(
            method: "post",
            route: .revocation,
            summary: "Give a refresh token back: its session ends (RFC 7009).",
            isOpen: true,
            body: .form("RevocationRequest"),
            success: .empty,
            refusals: [.storageFull]
        ),
        APIOperation(
            method: "get",
            route: .metadata,
            summary: "The relay as an authorization server (RFC 8414).",
            isOpen: true,
            success: .json(200, "ServerMetadata")
        ),
    ]

    private static let sessions = [
        APIOperation(
            method: "get",
            route: .sessions,
            summary: "The account's sessions, one for each device that is logged in.",
            success: .json(200, "SessionList")
        ),
        APIOperation(
            method: "delete",
            route: .session,
            summary: "End a session of the account, with its sockets and access tokens.",
            success: .nothing,
            refusals: [.unknownSession, .storageFull]
        ),
        APIOperation(
            method: "delete",
            route: .otherSessions,
            summary: "End every session of the account but the caller's.",
            success: .nothing,
            refusals: [.storageFull]
        ),
        APIOperation(
            method: "delete",
            route: .currentSession,
            summary: "Log out.",
            success: .nothing,
            refusals: [.storageFull]
        ),
    ]

    /// What the account's owner alone may do.
    private static let owner: [APIErrorCode] = [.wrongCredentials, .secondFactorRequired, .wrongCode, .storageFull]

    private static let account = [
        APIOperation(
            method: "put",
            route: .password,
            summary: "Another password; every other session ends.",
            body: .json("PasswordRequest"),
            success: .nothing,
            refusals: owner
        ),
        APIOperation(
            method: "post",
            route: .deletion,
            summary: "Delete the account. Its handle stays taken, and what it wrote stays with its rooms.",
            body: .json("AccountProof"),
            success: .nothing,
            refusals: owner
        ),
        APIOperation(
            method: "get",
            route: .secondFactor,
            summary: "Whether logging in takes a code.",
            success: .json(200, "SecondFactorState")
        ),
        APIOperation(
            method: "post",
            route: .secondFactor,
            summary: "Take a second factor, which waits to be confirmed; one that waits already is replaced.",
            body: .json("AccountProof"),
            success: .json(201, "SecondFactorSecret"),
            refusals: [.secondFactorActive, .wrongCredentials, .storageFull]
        ),
        APIOperation(
            method: "put",
            route: .secondFactor,
            summary: "Confirm the second factor with a code; from here on logging in takes one.",
            body: .json("ConfirmSecondFactorRequest"),
            success: .json(200, "RecoveryCodes"),
            refusals: [.secondFactorActive, .noSecondFactor, .wrongCode, .storageFull]
        ),
        APIOperation(
            method: "post",
            route: .secondFactorRemoval,
            summary: "Remove the second factor, with a code or a recovery code.",
            body: .json("AccountProof"),
            success: .nothing,
            refusals: owner + [.noSecondFactor]
        ),
        APIOperation(
            method: "get",
            route: .accountLog,
            summary: "What happened to the account, the newest first.",
            success: .json(200, "AuditLog")
        ),
    ]

    private static let rooms = [
        APIOperation(
            method: "get",
            route: .rooms,
            summary:
                "The rooms that the account is a member of, ascending, 100 at most; behind the last one it goes on.",
            query: [.identifier("after", "The room after which to go on.")],
            success: .json(200, "RoomList")
        ),
        APIOperation(
            method: "post",
            route: .rooms,
            summary: "Make a room.",
            body: .json("CreateRoomRequest"),
            success: .json(201, "RoomState"),
            refusals: [.roomTaken, .notAMember, .quotaExceeded, .storageFull]
        ),
        APIOperation(
            method: "get",
            route: .room,
            summary: "A room, for its members.",
            success: .json(200, "RoomState"),
            refusals: [.notAMember, .unknownRoom]
        ),
        APIOperation(
            method: "get",
            route: .messages,
            summary: "A page of a room's messages.",
            query: [.number("from", 0 ... .max, "The first number that is asked for.")],
            success: .json(200, "MessagePage"),
            refusals: [.notAMember, .unknownRoom, .gone]
        ),
        APIOperation(
            method: "post",
            route: .messages,
            summary: "Send a message, with the change of members that it tells of.",
            body: .json("SendRequest"),
            success: .json(201, "SendReceipt"),
            refusals: [
                .notAMember, .unknownRoom, .unknownAccount, .alreadyAMember, .staleEpoch, .staleNumber, .idReused,
                .quotaExceeded, .storageFull,
            ]
        ),
    ]

    private static let blobs = [
        APIOperation(
            method: "get",
            route: .blob,
            summary: "How far a blob has come.",
            success: .json(200, "BlobState"),
            refusals: [.notAMember, .unknownRoom, .unknownBlob]
        ),
        APIOperation(
            method: "put",
            route: .blob,
            summary: "Upload a blob's next piece.",
            query: [
                .number("size", 1...UInt64(Limits.blob), "The whole blob's size in bytes."),
                .number("offset", 0...UInt64(Limits.blob), "Where the piece begins."),
            ],
            body: .bytes,
            success: .json(200, "BlobState"),
            refusals: [.notAMember, .unknownRoom, .wrongOffset, .quotaExceeded, .storageFull]
        ),
        APIOperation(
            method: "get",
            route: .blobContent,
            summary: "A range of a whole blob.",
            query: [
                .number("offset", 0...UInt64(Limits.blob), "Where it begins."),
                .number("length", 1...UInt64(Limits.blobPiece), "How many bytes."),
            ],
            success: .bytes,
            refusals: [.notAMember, .unknownRoom, .unknownBlob]
        ),
    ]

    private static let device = [
        APIOperation(
            method: "get",
            route: .mailbox,
            summary: "A page of the device's mailbox.",
            query: [.number("from", 0 ... .max, "The first number that is asked for.")],
            success: .json(200, "MailboxPage"),
            refusals: [.gone]
        ),
        APIOperation(
            method: "delete",
            route: .mailbox,
            summary: "Drop what the device has stored for itself.",
            query: [.number("through", 0 ... .max, "The last number that goes.")],
            success: .nothing,
            refusals: [.storageFull]
        ),
        APIOperation(
            method: "get",
            route: .socket,
            summary: "Live delivery.",
            success: .upgrade
        ),
    ]
}
