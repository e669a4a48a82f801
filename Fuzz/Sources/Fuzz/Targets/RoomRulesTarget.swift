import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamWire

extension FuzzTarget {
    /// What binds a group to a room, who a leaf is, why a commit was made, and what a room is called. The first byte says which.
    static let roomRules = FuzzTarget(
        name: "room-rules",
        source: .network,
        seeds: {
            let reason = CommitReason(
                seen: CommitReason.Seen(number: 1, hash: [UInt8](repeating: 2, count: CommitReason.Seen.hashSize)),
                evidence: [
                    .deviceList(Signed(FixedKeys.list, by: FixedKeys.identity)),
                    .closing(
                        Signed(
                            AccountClosing(relay: FixedKeys.relay, account: FixedKeys.account.account),
                            by: FixedKeys.identity
                        )
                    ),
                    .leaving(
                        Signed(
                            Leaving(
                                room: FixedKeys.id(6),
                                generation: 3,
                                epoch: 1,
                                account: FixedKeys.account.account
                            ),
                            by: FixedKeys.sender.signing
                        ),
                        by: credentialOfOne
                    ),
                    .repair(RepairReason(number: 1, hash: [UInt8](repeating: 3, count: 32), cause: .ownStateOlder)),
                ]
            )
            return [
                [0] + roomOfOne.wireBytes, [0] + RoomExtension(room: FixedKeys.id(6)).wireBytes,
                [1] + CommitReason().wireBytes, [1] + reason.wireBytes, [2] + credentialOfOne.wireBytes,
                [3] + WelcomedInfo(salt: FixedKeys.id(6), info: [1, 2, 3]).wireBytes,
            ]
        },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            switch first {
            case 0:
                guard let room = oneForm(RoomExtension.self, rest) else { return }
                planted(room.generation == 2)
                let extensions = Extensions([RoomExtension.requirements, room.mls])
                mustHold(RoomExtension(in: extensions) == room, "a group's extension is read as it was written")
                guard let members = try? RoomMembers(leaves: [:], extensions: extensions) else { return }
                judge(in: members, saying: CommitReason().wireBytes)
            case 1:
                _ = oneForm(CommitReason.self, rest)
                let extensions = Extensions([RoomExtension.requirements, roomOfOne.mls])
                guard let members = try? RoomMembers(leaves: [:], extensions: extensions) else { return }
                judge(in: members, saying: rest)
            case 3:
                guard let told = oneForm(WelcomedInfo.self, rest) else { return }
                mustHold(WelcomedInfo(in: Extensions([told.mls])) == told, "a room is called what it was")
            default:
                guard let credential = oneForm(DeviceCredential.self, rest) else { return }
                let key = SignaturePublicKey(Array(FixedKeys.sender.signing.publicKey.rawRepresentation))
                guard (try? RoomLeaf(credential.mls, signatureKey: key)) != nil,
                    credential.identityKey == FixedKeys.identity.publicKey
                else { return }
                mustHold(rest == credentialOfOne.wireBytes, "only what was signed is believed")
            }
        }
    )

    /// A room with a seat for one.
    private static let roomOfOne = RoomExtension(
        room: FixedKeys.id(6),
        generation: 3,
        previous: PreviousGroup(room: FixedKeys.id(6), lastNumber: 4, runningHash: [UInt8](repeating: 5, count: 32)),
        roles: [FixedKeys.account.account: .owner],
        seats: [
            Seat(
                account: FixedKeys.account.account,
                identity: RoomIdentity(
                    key: FixedKeys.identity.publicKey,
                    rotation: 0,
                    nextIdentity: [UInt8](repeating: 1, count: 32)
                )
            )
        ],
        lists: [FixedKeys.recipientAccount: ListVersion(number: 6)],
        leavings: [FixedKeys.recipientAccount: 7]
    )

    private static let credentialOfOne = DeviceCredential(
        identityKey: FixedKeys.identity.publicKey,
        record: Signed(
            DeviceRecord(
                relay: FixedKeys.relay,
                account: FixedKeys.account.account,
                device: FixedKeys.sender.device,
                signatureKey: FixedKeys.sender.signing.publicKey,
                agreementKey: FixedKeys.sender.agreement.publicKey,
                notAfter: 4_000_000_000,
                succession: IdentitySuccession(since: 1, nextIdentity: [UInt8](repeating: 1, count: 32))
            ),
            by: FixedKeys.identity
        )
    )

    /// The rules' answer to somebody with a seat who comes in from outside: an answer, whatever is said.
    private static func judge(in members: RoomMembers, saying reason: [UInt8]) {
        let key = SignaturePublicKey(Array(FixedKeys.sender.signing.publicKey.rawRepresentation))
        guard let leaf = try? RoomLeaf(credentialOfOne.mls, signatureKey: key) else { return }
        let commit = RoomCommit(
            by: .newMember,
            [RoomCommit.Entry(.externalInit)],
            pathLeaf: leaf,
            authenticatedData: reason
        )
        // Nobody has listed this device: the seeds' list names another record.
        mustHold((try? members.check(commit)) == nil, "who is on no list does not come in")
    }
}
