import MildamIdentity

/// What a device remembers of whom it lets write to this account, and the rules by which it takes mail in.
///
/// Pure: it reads no clock, no store and no network, and knows nothing of how a room's keys travel.
struct Consent: Codable, Sendable {
    /// The numbers of what a person is asked.
    var requests = RequestBook()
    /// Who may not.
    var blocks = Blocks()
    /// Who is not listened to for now.
    var senders = SenderMemory()
    /// What was not believed.
    var setAside = SetAside()
    /// Which rooms of MLS groups strangers want this account in. Missing in records from before there were such rooms.
    private var rooms: RoomRequests?

    /// Which rooms of MLS groups strangers want this account in.
    var roomRequests: RoomRequests {
        get { rooms ?? RoomRequests() }
        set { rooms = newValue }
    }

    /// What is done with something that came.
    enum Verdict: Equatable {
        /// It belongs to a room that this account is in or is invited to, and is kept unopened.
        case keep
        /// It claims to be from somebody known, or came by a link: it is an invitation if that is true.
        case verify
        /// It is kept apart, unopened, until a person asks for it.
        case ask
        /// It is set aside.
        case setAside(SetAside.Cause)
    }

    /// How this account stands to the room that something is for.
    enum Standing: Equatable {
        /// Never in it, or it left, or it was put out.
        case outside
        /// Invited, and the person has seen that.
        case invited
        /// A member.
        case member
    }

    /// How many invitations of one known person wait; those beyond are requests.
    static let invitationsOfOne = 32

    /// The rule of intake. It costs no request and no check of a signature.
    ///
    /// - Parameters:
    ///   - account: the account that it is from.
    ///   - standing: how this account stands to the room.
    ///   - isKnown: whether that is somebody known.
    ///   - isByLink: whether it came past the strangers' part while a link of this account's was open.
    ///   - waiting: how many invitations of that account wait already.
    ///   - now: seconds since 1970.
    func verdict(
        on account: AccountID,
        standing: Standing,
        isKnown: Bool,
        isByLink: Bool,
        waiting: Int,
        at now: Int64
    ) -> Verdict {
        switch standing {
        case .member, .invited: return .keep
        case .outside:
            if blocks.contain(account) { return .setAside(.blocked) }
            let isMuted = senders.isMuted(account, at: now)
            guard isKnown || isByLink else { return isMuted ? .setAside(.muted) : .ask }
            return isMuted || waiting >= Self.invitationsOfOne ? .ask : .verify
        }
    }
}
