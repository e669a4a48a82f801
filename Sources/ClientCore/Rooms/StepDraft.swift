import MildamCrypto
import MildamIdentity
import MildamMLS
import MildamRoomRules

/// A step in the making: what it is made with, and what comes of it so far.
struct StepDraft {
    /// Who asked the relay for something.
    enum Asker: Hashable {
        case room(RoomID)
        case keyPackages
    }

    var device: OwnDevice { didSet { credential = GroupOutline.digest(device.credential.wireBytes) } }
    /// SHA-256 of what the device's leaves are to say of it.
    private(set) var credential: [UInt8]
    let moment: Moment
    let randomness: Randomness
    /// The newest list of each account's devices that is known.
    var lists: [AccountID: KnownDeviceList]
    /// The ends of accounts that are known.
    var closings: [AccountID: KnownClosing] = [:]
    /// The identity key that the person knows of an account.
    var pins: [AccountID: Curve25519.Signing.PublicKey] = [:]
    var isConnected: Bool
    /// What MLS takes from outside, at this moment.
    let environment: GroupEnvironment
    private(set) var nextRequest: UInt64
    private(set) var asked: [RequestID: Asker] = [:]
    var changes: [StoreChange] = []
    private var effects: [Effect] = []
    private var wakeAt: UInt64?

    /// - Parameter credential: SHA-256 of what the device's leaves are to say of it.
    init(
        device: OwnDevice,
        credential: [UInt8],
        moment: Moment,
        randomness: Randomness,
        lists: [AccountID: KnownDeviceList],
        isConnected: Bool,
        nextRequest: UInt64
    ) {
        self.device = device
        self.credential = credential
        self.moment = moment
        self.randomness = randomness
        self.lists = lists
        self.isConnected = isConnected
        self.nextRequest = nextRequest
        let second = moment.wallSeconds
        environment = GroupEnvironment(
            authentication: RoomAuthentication(),
            policy: RoomPolicy(),
            randomness: randomness,
            now: { second },
            pastEpochs: 0,
            resumptionEpochs: 1
        )
    }

    /// The moment of the steady clock, in milliseconds.
    var now: UInt64 { moment.steady }

    /// Asks the relay for something.
    mutating func ask(_ request: RoomRequest, for asker: Asker) -> RequestID {
        let id = RequestID(rawValue: nextRequest)
        nextRequest += 1
        asked[id] = asker
        effects.append(.request(id, request))
        return id
    }

    mutating func tell(_ room: RoomID, _ notice: Notice) { effects.append(.tell(room, notice)) }

    /// Stores an entry, and shows it.
    mutating func show(_ room: RoomID, _ entry: ShownEntry) {
        changes.append(.entry(room, entry))
        effects.append(.show(room, entry))
    }

    mutating func readKept(_ room: RoomID, after number: UInt64) { effects.append(.readKept(room, after: number)) }

    mutating func readSaid(_ room: RoomID, _ numbers: [ClosedRange<UInt64>]) {
        effects.append(.readSaid(room, numbers))
    }

    mutating func readLost(_ room: RoomID, _ numbers: [ClosedRange<UInt64>], keptAt second: UInt64) {
        effects.append(.readLost(room, numbers, keptAt: second))
    }

    /// Wants a step at a moment of the steady clock.
    mutating func wake(at moment: UInt64) { wakeAt = min(wakeAt ?? moment, moment) }

    /// A number from 0 to the given one, all but equally likely.
    func draw(upTo limit: UInt64) -> UInt64 {
        let number = randomness.bytes(count: 8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return limit == .max ? number : number % (limit + 1)
    }

    /// The step.
    var step: Step { Step(changes: changes, effects: effects + (wakeAt.map { [.wake(at: $0)] } ?? [])) }
}
