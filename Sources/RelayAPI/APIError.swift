/// The codes a relay's errors carry. They never change their meaning.
public enum APIErrorCode: String, Codable, Sendable, CaseIterable {
    /// The request is not what this route takes: a field is missing, has another type, or is out of range.
    case badRequest = "bad_request"
    /// The body is longer than this route takes.
    case tooLarge = "too_large"
    /// There is no such route.
    case unknownRoute = "unknown_route"
    /// The route does not take this method.
    case methodNotAllowed = "method_not_allowed"
    /// No access token, or one that is wrong or past its time.
    case unauthorized = "unauthorized"
    /// The handle, the password or the device's signature is wrong; which one is not said.
    case wrongCredentials = "wrong_credentials"
    /// Handle, password and device are right, and the account's second factor is asked for: a code or a recovery code.
    case secondFactorRequired = "second_factor_required"
    /// The code or recovery code is wrong, or was used before.
    case wrongCode = "wrong_code"
    /// The refresh token is wrong, has run out, or was used after its successor; the family is revoked.
    case sessionEnded = "session_ended"
    /// A way of getting tokens that this relay does not know.
    case unsupportedGrant = "unsupported_grant_type"
    /// The proof of possession is missing, is none, or is for something else (RFC 9449).
    case invalidProof = "invalid_dpop_proof"
    /// The proof needs the nonce that stands in the answer's `DPoP-Nonce` field.
    case nonceNeeded = "use_dpop_nonce"
    /// The handle is taken.
    case handleTaken = "handle_taken"
    /// Keys, records and list do not fit together.
    case badIdentity = "bad_identity"
    /// The account has a second factor, which has to be removed before there can be another.
    case secondFactorActive = "second_factor_active"
    /// The account has no second factor, or none that waits to be confirmed.
    case noSecondFactor = "no_second_factor"
    /// The device list does not come next after the account's present one; its number is in the details.
    case staleList = "stale_list"
    /// An account is made by invitation only, and this request has none that is open; the message says so.
    case invitationRequired = "invitation_required"
    /// The relay takes no new accounts.
    case registrationClosed = "registration_closed"
    /// An account that is to be added does not know the sender, and no link of its own was shown that is open.
    case linkRequired = "link_required"
    /// The account has no such session.
    case unknownSession = "unknown_session"
    /// There is no such account.
    case unknownAccount = "unknown_account"
    /// There is no such room.
    case unknownRoom = "unknown_room"
    /// The room's id is taken by a room of somebody else.
    case roomTaken = "room_taken"
    /// The account is not, or no longer, a member of the room.
    case notAMember = "not_a_member"
    /// The message is for another generation or epoch than the room's present one; both are in the details.
    case staleEpoch = "stale_epoch"
    /// Proposals wait, and every commit has to name them: the first one's number is in the details.
    case proposalsDue = "proposals_due"
    /// A commit, a proposal or a group that does not count; the rule that it breaks is in the details.
    case invalidCommit = "invalid_commit"
    /// The account commits too often, or somebody else's message goes first; the seconds to wait are in the details.
    case commitRate = "commit_rate"
    /// No device of the account has a key package to be claimed.
    case noKeyPackage = "no_key_package"
    /// The message id was used before with other bytes; the number it got is in the details.
    case idReused = "id_reused"
    /// What lay below the first retained number is gone; the number is in the details.
    case gone = "gone"
    /// There is no such blob, or not yet all of it.
    case unknownBlob = "unknown_blob"
    /// The piece does not begin where the last one ended; the offset is in the details.
    case wrongOffset = "wrong_offset"
    /// Too much of this from one address or account; the seconds to wait are in the details.
    case rateLimited = "rate_limited"
    /// The room, or the account, has all that it may have here; nothing was stored.
    case quotaExceeded = "quota_exceeded"
    /// The relay's disk is full; nothing was stored.
    case storageFull = "storage_full"
    /// The relay cannot do this just now; try again.
    case unavailable = "unavailable"
    /// A fault of the relay's.
    case internalError = "internal_error"

    /// The HTTP status it goes with.
    public var status: Int {
        switch self {
        case .badRequest, .badIdentity, .unsupportedGrant, .invalidCommit: 400
        case .unauthorized, .wrongCredentials, .secondFactorRequired, .wrongCode, .sessionEnded, .invalidProof,
            .nonceNeeded:
            401
        case .notAMember, .invitationRequired, .registrationClosed, .linkRequired: 403
        case .unknownRoute, .unknownSession, .unknownAccount, .unknownRoom, .unknownBlob, .noKeyPackage: 404
        case .methodNotAllowed: 405
        case .handleTaken, .secondFactorActive, .noSecondFactor, .staleList, .roomTaken, .staleEpoch,
            .proposalsDue, .idReused, .wrongOffset:
            409
        case .gone: 410
        case .tooLarge: 413
        case .internalError: 500
        case .unavailable: 503
        case .rateLimited, .commitRate: 429
        case .storageFull, .quotaExceeded: 507
        }
    }
}

/// An answer that is an error: `{"error": {"code": …, "message": …}}`.
public struct APIError: Error, Codable, Sendable, Equatable {
    /// What a program acts on.
    public var code: APIErrorCode
    /// What a person reads. Never holds content, keys or tokens.
    public var message: String
    /// A number that goes with the code: see the code.
    public var number: UInt64?
    /// The room's present generation, with `stale_epoch`.
    public var generation: UInt32?
    /// The room's present epoch, with `stale_epoch`.
    public var epoch: UInt64?
    /// The name of the rule that is broken, with `invalid_commit`: of the room's rules, or of MLS's.
    public var rule: String?

    /// Makes an error.
    public init(
        _ code: APIErrorCode,
        _ message: String,
        number: UInt64? = nil,
        generation: UInt32? = nil,
        epoch: UInt64? = nil,
        rule: String? = nil
    ) {
        self.code = code
        self.message = message
        self.number = number
        self.generation = generation
        self.epoch = epoch
        self.rule = rule
    }
}

/// The body of an answer that is an error.
public struct APIErrorBody: Codable, Sendable {
    /// The error.
    public var error: APIError
    /// What the sender of something that came too late has not seen, with `stale_epoch` and `proposals_due` of a group.
    public var missed: MessagePage?

    /// Wraps an error.
    public init(_ error: APIError, missed: MessagePage? = nil) {
        self.error = error
        self.missed = missed
    }
}
