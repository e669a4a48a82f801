/// What a person is told of the codes by which the profile's client says what came of a wish in a room: the client has no words of
/// its own. For why something could not be read, ``RoomCauseWords`` has them.
enum RoomCodeWords {
    /// Why something cannot be, by code: a rule of the room that it would break, or what was in the way.
    static let refusals: [String: String] = [
        "committerHasLeaf": "this device has not come into the room's group yet; it does by itself",
        "othersProposalsAreSelfRemoves": "of what others propose, only that they leave can be taken up",
        "proposalIsOfAllowedKind": "nobody may make a change of that kind in a room",
        "otherExtensionsStay": "nobody may change anything else of a room's group",
        "externalCommitterIsMember": "this account is no member of the room",
        "externalCommitReplacesOwnLeaf": "who comes in may not take another device out",
        "externalCommitShowsList": "who comes in has to show a list that names the device",
        "externalCommitFollowsLeaf": "the account has given this device other keys since; these open nothing any more",
        "beginnerHasRecordedKey": "the account has given this device other keys since; these open nothing any more",
        "addToAccountShowsList": "another device of a member comes in by a list that names it",
        "inviterMayInvite": "only an owner or admin brings others into this room; `mildam room show` says who is one",
        "newcomerHasRecordedIdentity":
            """
        they have another key at the relay than the one that you know, under which they could not come in: ask them for \
        theirs and take it with `mildam contact accept`
        """,
        "removerMayRemove":
            """
        only an owner or admin puts others out of this room, and nobody an owner; `mildam room show` says who is one
        """,
        "leafRemovalIsJustified":
            "a device of somebody else goes by a list that no longer names it, or with the account",
        "rolesAreChangedByOwners": "only an owner says who has which role; `mildam room show` says who is one",
        "rolesAreOfMembers": "only members have roles; invite them first",
        "policyIsChangedByOwners": "only an owner says what members may do; `mildam room show` says who is one",
        "descriptionIsChangedByRight":
            "only an owner or admin says what this room is called; `mildam room show` says who is one",
        "generationIsBegunByRight":
            "only an owner or admin begins a room's group anew; `mildam room show` says who is one",
        "removed": "you were put out of the room before it was done",
        "others-came-in":
            """
        the relay lost it when it was restored from a backup, and others have come into the room since you said it: send \
        it again if they may read it
        """,
        "no-member": "you are not, or no longer, a member of the room",
        "no-such-room": "the room is not here any more",
        "leave-instead": "that is you: `mildam room leave` goes out",
        "too-many-blobs": "it names more files than one message may",
        "cannot-be-sealed": "it cannot be put into one message",
        "cannot-be-committed": "the change cannot be made of the room as it is now",
        "cannot-leave": "leaving cannot be said in the room as it is now; try again",
        "cannot-be-renewed": "no fresh group can be made of the room as it is now; try again",
        "forbidden": "the relay has no such room, or you are no member of it any more",
        "unknown_account": "the relay has no such account any more",
        "too_large": "it is longer than the relay takes",
        "link_required":
            """
        the relay brings them into rooms only by a link of theirs: ask them for one (`mildam invite-link`), and take it \
        with `mildam contact add --link-file FILE`
        """,
        "too-many-waiting": "too much waits in the room already: see `mildam outbox list`",
        "dropped": "it was dropped before it was sent",
        "room_taken": "the relay has a room of somebody else's under that id; make the room again",
    ]

    /// What something waits for, by code.
    static let waits: [String: String] = [
        "leaving": "somebody leaves the room, and goes out first",
        "not-accepted": "you have not accepted the invitation: `mildam room join`",
        "device-not-on-list": "a device in the room is on its account's list no longer, and goes out first",
        "identity-differs":
            """
        a member has another key than you know: ask them for theirs and take it with `mildam contact accept`, or put \
        them out with `mildam room remove`
        """,
        "invited-first": "whom it is about has not come in yet",
        "busy": "the relay is full, or was asked too often",
        "commit-rate":
            "this account has changed the room too often within a minute, or others could not read what it changed",
        "cannot-be-sealed": "it cannot be sealed just now",
        "cannot-be-committed": "the change cannot be made just now",
    ]

    /// Why something cannot be.
    static func refusal(_ code: String) -> String {
        if let sentence = refusals[code] { return sentence }
        guard code.hasPrefix(byRelay) else { return "the relay does not take it (\(code))" }
        let rule = String(code.dropFirst(byRelay.count))
        return refusals[rule] ?? "the relay does not take it: it breaks the room's rule \(rule)"
    }

    /// Before the name of a rule by which the relay refuses.
    private static let byRelay = "invalid-commit:"

    /// What something waits for.
    static func wait(_ code: String) -> String {
        if let sentence = waits[code] { return sentence }
        return RoomCauseWords.sentences[code] == nil ? refusal(code) : RoomCauseWords.sentence(for: code)
    }
}
