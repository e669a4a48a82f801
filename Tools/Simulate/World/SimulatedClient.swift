import MildamClientCore
import MildamIdentity

/// A person's client: its program, its disk, its clock, its connection.
struct SimulatedClient {
    let person: UInt8
    var device: OwnDevice
    /// Which keys the device has.
    var keys: UInt8 = 0
    var core: StoredCore<SimulatedDisk, EffectList>
    /// Which process it is, counted from 0.
    var process: UInt64 = 0
    var isRunning = true
    /// Whether its person has deleted the account.
    var isDeleted = false
    /// How many connections it has had, and whether it has one.
    var connections: UInt64 = 0
    var isConnected = false
    /// Whether its connection is dead, and it does not know.
    var isHalfOpen = false
    /// Whether it cannot reach the relay before a moment.
    var cutUntil: UInt64 = 0
    /// Whether it does not want to before a moment.
    var awayUntil: UInt64 = 0
    /// When it is woken.
    var wakeAt: UInt64?
    /// How far its wall clock is from the right time, in milliseconds.
    var skew: Int64 = 0
    /// The newest list of each other account that it has heard of, by the keys that the list names.
    var heard: [UInt8: UInt8] = [:]
    /// The accounts of which it has heard that they are no more.
    var heardEnds: Set<UInt8> = []
    /// How far the relay has told it of each room over this connection.
    var told: [RoomID: UInt64] = [:]
    /// When the last of what the relay told by itself arrives.
    var lastLiveAt: UInt64 = 0
    /// How many requests it has made, and invitations it has had.
    var requests: UInt64 = 0
    var invitations: UInt64 = 0
    /// What it has asked and was not answered.
    var outstanding: Set<RequestID> = []
    /// The rooms that strangers had asked it into, and that it did not come into.
    var declined: Set<RoomID> = []
    /// Copies of the profile.
    var copies: [SimulatedDisk] = []
    /// Whether its program ends when it has sent something.
    var endsAfterSending = false

    init(_ person: UInt8, _ device: OwnDevice, seed: UInt64) {
        self.person = person
        self.device = device
        core = SimulatedClient.program(device, SimulatedDisk(), person: person, process: 0, seed: seed)
    }

    var account: AccountID { device.account }
    var line: Line { Line(person: person, number: connections) }

    /// A room as the client has it, asleep or not.
    func room(_ room: RoomID) -> RoomCore? { core.core.rooms[room] }

    /// The same, with its group, which may be on the disk alone.
    func wholeRoom(_ room: RoomID) -> RoomCore? {
        self.room(room).map { $0.awake(with: core.store.memory.rooms[room]?.group) }
    }

    /// The rooms that it is in, in an order.
    var memberships: [RoomID] {
        core.core.rooms.values.filter { $0.standing == .member }.map(\.room).sorted()
    }

    /// The program begins from a disk.
    mutating func begin(from disk: SimulatedDisk, seed: UInt64) {
        process += 1
        core = SimulatedClient.program(device, disk.copy, person: person, process: process, seed: seed)
        isRunning = true
        wakeAt = nil
        outstanding = []
    }

    private static func program(
        _ device: OwnDevice,
        _ disk: SimulatedDisk,
        person: UInt8,
        process: UInt64,
        seed: UInt64
    ) -> StoredCore<SimulatedDisk, EffectList> {
        var dice = Dice(seed: seed, .keys, UInt64(person), process)
        let stored: StoredClient
        do {
            stored = try disk.stored()
        } catch {
            preconditionFailure("memory cannot be read: \(error)")
        }
        let core = ClientCore(
            device,
            stored: stored,
            randomness: SeededSource.source(dice.bytes(32)),
            // The other rooms sleep, and are woken when something is to be done.
            mostAwake: Int(dice.roll(4))
        )
        return StoredCore(core, store: disk, delivery: EffectList())
    }
}
