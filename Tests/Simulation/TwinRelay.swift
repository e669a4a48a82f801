import MildamClientCore
import MildamIdentity

@testable import MildamSimulate

/// The model of a relay, beside which the relay's own code is asked the same: where they differ is told as trouble. Clients get
/// what the model answers.
struct TwinRelay: SimulatedRelay {
    private var model: ModelRelay
    private var store: StoreRelay
    private(set) var trouble: String?
    /// How many answers were held against each other.
    let compared = Counter()

    /// A number that copies share.
    final class Counter {
        var count = 0
    }

    init(_ people: [OwnDevice]) {
        model = ModelRelay()
        model.limitsRates = true
        model.checksBlobs = true
        model.checksIdentities = true
        store = StoreRelay(people)
    }

    mutating func answer(_ request: RoomRequest, from device: OwnDevice, seen: UInt64) -> RelayReply {
        let reply = model.answer(request, from: device, seen: seen)
        let other = store.answer(request, from: device, seen: seen)
        compare(request, TwinRelay.words(of: reply), TwinRelay.words(of: other))
        if case .send(let room, _) = request {
            compare(request, TwinRelay.words(of: model.state(of: room)), TwinRelay.words(of: store.state(of: room)))
        }
        if trouble == nil { trouble = store.trouble }
        return reply
    }

    private mutating func compare(_ request: RoomRequest, _ answer: String, _ other: String) {
        // The relay answers nobody about a room who is not in it; of key packages it takes those of present keys alone, and
        // gives those away whose time is not over.
        switch request {
        case .keyPackages, .claim: return
        case .page, .create, .send, .group, .groupInfo, .refill: break
        }
        guard other != "forbidden" else { return }
        compared.count += 1
        guard trouble == nil, answer != other else { return }
        trouble = "\(request.name): the model says \(answer), and the relay \(other)"
    }

    private static func words(of reply: RelayReply) -> String {
        switch reply {
        case .accepted(let number): "accepted \(number)"
        case .page(let page): "page to \(page.last) of epoch \(page.epoch)"
        case .staleEpoch(let page): "stale epoch, to \(page.last) of epoch \(page.epoch)"
        case .proposalsDue(let page): "proposals due, to \(page.last) of epoch \(page.epoch)"
        case .group(let group):
            "group \(group.generation) \(group.epoch) \(group.last) \(group.tree.count) \(group.proposals.count)"
        // Which rule is named first is each one's own.
        case .refused(.invalidCommit): "invalid commit"
        case .refilled: "refilled"
        case .refused, .done, .claimed, .unreachable: reply.name
        }
    }

    private static func words(of state: RelayRoomState?) -> String {
        state.map { "\($0.generation) \($0.epoch) \($0.leaves.sorted()) \($0.leaving)" } ?? "no room"
    }

    // MARK: What the model says alone

    mutating func page(_ room: RoomID, after number: UInt64, for account: AccountID) -> LogPage {
        model.page(room, after: number, for: account)
    }

    func last(of room: RoomID) -> UInt64 { model.last(of: room) }

    func message(_ number: UInt64, in room: RoomID) -> NumberedMessage? { model.message(number, in: room) }

    func state(of room: RoomID) -> RelayRoomState? { model.state(of: room) }

    func lost(in room: RoomID) -> [ClosedRange<UInt64>] { model.lost(in: room) }

    func mail(of account: AccountID) -> [ArrivedWelcome] { model.mail(of: account) }

    func seats(of account: AccountID) -> [RoomID] { model.seats(of: account) }

    func left(of account: AccountID) -> Int { model.left(of: account) }

    // MARK: What happens to both

    mutating func dropMail(of account: AccountID, count: Int) {
        model.dropMail(of: account, count: count)
        store.dropMail(of: account, count: count)
    }

    mutating func dropSeats(of account: AccountID) {
        model.dropSeats(of: account)
        store.dropSeats(of: account)
    }

    mutating func publish(_ device: OwnDevice) {
        model.publish(device)
        store.publish(device)
    }

    mutating func delete(_ device: OwnDevice, leaving closing: Signed<AccountClosing>) {
        model.delete(device, leaving: closing)
        store.delete(device, leaving: closing)
    }

    mutating func tell(milliseconds: UInt64, steady: UInt64) {
        model.tell(milliseconds: milliseconds, steady: steady)
        store.tell(milliseconds: milliseconds, steady: steady)
    }

    mutating func upload(_ blob: BlobID, to room: RoomID, from device: OwnDevice) {
        model.upload(blob, to: room, from: device)
        store.upload(blob, to: room, from: device)
    }

    mutating func forget(before number: UInt64, in room: RoomID) {}

    func restored(as incarnation: UInt8, inPlaceOf present: TwinRelay) -> TwinRelay { present }

    mutating func endTakingBack(offered: [RoomID: [UInt64]]) -> Bool { true }
}
