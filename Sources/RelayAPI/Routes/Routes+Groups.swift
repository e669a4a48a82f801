import MildamIdentity

/// Rooms that are MLS groups: what carries MLS travels as `application/vnd.mildam+tls`.
extension Routes {
    /// Make a room that is an MLS group.
    public static let createGroup = Route(
        .put,
        "/v1/rooms/{room}/group",
        RoomID.self,
        body: .structure(CreateGroupRequest.self, atMost: Limits.groupBody),
        answer: .json(RoomState.self, status: 201),
        refusals: [
            .invalidCommit, .linkRequired, .unknownAccount, .roomTaken, .notAMember, .quotaExceeded, .storageFull,
        ]
    )

    /// A room's present group, for its members.
    public static let group = Route(
        .get,
        "/v1/rooms/{room}/group",
        RoomID.self,
        answer: .structure(RoomGroupState.self),
        refusals: [.notAMember, .unknownRoom]
    )

    /// The group's tree in an epoch, for the room's members: as long as the log reaches back to it.
    public static let groupTree = Route(
        .get,
        "/v1/rooms/{room}/group/tree",
        RoomID.self,
        query: .numbers("generation", in: 0...Int(UInt32.max), "epoch", in: 0...Limits.epoch),
        answer: .bytes,
        refusals: [.notAMember, .unknownRoom, .staleEpoch, .gone]
    )

    /// Say something, propose to leave, or commit.
    public static let sendToGroup = Route(
        .post,
        "/v1/rooms/{room}/group/messages",
        RoomID.self,
        body: .structure(GroupSendRequest.self, atMost: Limits.groupBody),
        answer: .json(SendReceipt.self, status: 201),
        refusals: [
            .invalidCommit, .notAMember, .linkRequired, .unknownRoom, .unknownAccount, .staleEpoch, .proposalsDue,
            .commitRate, .idReused, .unknownBlob, .quotaExceeded, .storageFull,
        ]
    )

    /// Give back what the relay lost when its store was put back, for a day after that.
    public static let refill = Route(
        .post,
        "/v1/rooms/{room}/group/refill",
        RoomID.self,
        body: .structure(RefillRequest.self, atMost: Limits.groupBody),
        answer: .json(MessagePage.self),
        refusals: [
            .invalidCommit, .notAMember, .unknownRoom, .unknownAccount, .staleEpoch, .proposalsDue, .idReused,
            .quotaExceeded, .storageFull,
        ]
    )

    /// Another GroupInfo of the present epoch, or that the account stands behind one that is there.
    public static let putGroupInfo = Route(
        .put,
        "/v1/rooms/{room}/group-info",
        RoomID.self,
        body: .structure(GroupInfoRequest.self, atMost: Limits.groupInfoBody),
        answer: .done(),
        refusals: [.invalidCommit, .notAMember, .unknownRoom, .staleEpoch, .quotaExceeded, .storageFull]
    )

    /// Go on in a new group of the room.
    public static let renewRoom = Route(
        .post,
        "/v1/rooms/{room}/generations",
        RoomID.self,
        body: .structure(GenerationRequest.self, atMost: Limits.groupInfoBody),
        answer: .json(SendReceipt.self, status: 201),
        refusals: [
            .invalidCommit, .notAMember, .unknownRoom, .staleEpoch, .commitRate, .idReused, .quotaExceeded,
            .storageFull,
        ]
    )

    /// How many key packages of the device are left.
    public static let keyPackages = Route(
        .get,
        "/v1/key-packages",
        answer: .json(KeyPackageCount.self)
    )

    /// Publish key packages of the device.
    public static let putKeyPackages = Route(
        .put,
        "/v1/key-packages",
        body: .structure(KeyPackageUpload.self, atMost: Limits.groupBody),
        answer: .json(KeyPackageCount.self),
        refusals: [.badIdentity, .quotaExceeded, .storageFull]
    )

    /// Claim a key package of each device of an account.
    public static let claimKeyPackages = Route(
        .post,
        "/v1/accounts/{handle}/key-packages",
        Handle.self,
        body: .json(ClaimRequest.self),
        answer: .structure(ClaimedKeyPackages.self),
        refusals: [.unknownAccount, .noKeyPackage, .idReused, .quotaExceeded, .storageFull]
    )
}
