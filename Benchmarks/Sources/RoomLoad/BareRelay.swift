import MildamClientCore
import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules
import MildamSystem
import MildamWire

/// The least of a relay that clients' cores need: it numbers what comes, and looks at nothing but who comes in. It costs next to
/// nothing beside them.
package struct BareRelay {
    private struct Room {
        var group: PublicGroup
        var log: [NumberedMessage] = []

        var devices: Set<DeviceID> {
            Set(group.members.compactMap { (try? RoomLeaf(inTree: $0.leaf))?.device })
        }
    }

    private static let incarnation = [UInt8](repeating: 1, count: LogPage.incarnationSize)

    private let devices: [AccountID: OwnDevice]
    private var rooms: [RoomID: Room] = [:]
    private var keyPackages: [AccountID: [[UInt8]]] = [:]
    private var welcomes: [AccountID: [ArrivedWelcome]] = [:]

    /// A relay that these have accounts on.
    package init(_ members: [RoomMember]) {
        devices = Dictionary(members.map { ($0.account, $0.device) }) { first, _ in first }
    }

    /// The highest number of a room.
    package func last(of room: RoomID) -> UInt64 { UInt64(rooms[room]?.log.count ?? 0) }

    /// The Welcomes of an account, which are nobody's any more.
    package mutating func takeWelcomes(of account: AccountID) -> [ArrivedWelcome] {
        welcomes.removeValue(forKey: account) ?? []
    }

    /// What a room's log has after a number: 500 messages at most.
    package func page(_ id: RoomID, after number: UInt64) -> LogPage {
        let room = rooms[id]
        return LogPage(
            room: id,
            messages: Array((room?.log ?? []).dropFirst(Int(number)).prefix(500)),
            first: 1,
            last: last(of: id),
            epoch: room?.group.context.epoch ?? 0,
            incarnation: Self.incarnation
        )
    }

    /// Answers what a client asks.
    package mutating func answer(_ request: RoomRequest, from device: OwnDevice) throws -> RelayReply {
        switch request {
        case .create(let id, let groupInfo, let tree):
            guard case .groupInfo(let info) = try MLSMessage(wireBytes: groupInfo) else {
                throw LoadError("a room is made of something that is no GroupInfo")
            }
            rooms[id] = Room(group: try PublicGroup(info, ratchetTree: tree, environment: RoomMember.environment))
            return .done
        case .page(let id, let after): return .page(page(id, after: after))
        case .send(let id, let message): return try take(message, in: id, from: device)
        case .keyPackages(let packages):
            keyPackages[device.account] = packages
            return .done
        case .claim(_, let account, for: _): return .claimed(try claim(account))
        case .group, .groupInfo, .refill: return .refused(.forbidden)
        }
    }

    /// The last one is of last resort.
    private mutating func claim(_ account: AccountID) throws -> ClaimReply {
        guard let device = devices[account], var left = keyPackages[account], let package = left.first else {
            throw LoadError("an account has no key packages")
        }
        if left.count > 1 { left.removeFirst() }
        keyPackages[account] = left
        return ClaimReply(keyPackages: [package], list: device.list)
    }

    private mutating func take(
        _ message: OutgoingMessage,
        in id: RoomID,
        from device: OwnDevice
    ) throws -> RelayReply {
        guard var room = rooms[id] else { return .refused(.forbidden) }
        guard message.epoch == room.group.context.epoch else { return .staleEpoch(page(id, after: 0)) }
        let number = UInt64(room.log.count) + 1
        if message.kind == .commit {
            guard case .publicMessage(let content) = try MLSMessage(wireBytes: message.body) else {
                throw LoadError("a commit that is no PublicMessage")
            }
            let before = room.devices
            try room.group.process(content, environment: RoomMember.environment)
            if let welcome = message.welcome { deliver(welcome, to: room, before, id, message.generation, number) }
        }
        room.log.append(
            NumberedMessage(
                number: number,
                generation: message.generation,
                account: device.account,
                device: device.device,
                id: message.id,
                kind: message.kind,
                stored: UInt64(clamping: WallClock.system.milliseconds),
                body: message.body
            )
        )
        rooms[id] = room
        return .accepted(number: number)
    }

    private mutating func deliver(
        _ welcome: [UInt8],
        to room: Room,
        _ before: Set<DeviceID>,
        _ id: RoomID,
        _ generation: UInt64,
        _ number: UInt64
    ) {
        let present = room.devices
        for device in devices.values where present.contains(device.device) && !before.contains(device.device) {
            welcomes[device.account, default: []].append(
                ArrivedWelcome(
                    room: id,
                    generation: generation,
                    number: number,
                    welcome: welcome,
                    tree: room.group.ratchetTree,
                    isOfKnownSender: true
                )
            )
        }
    }
}
