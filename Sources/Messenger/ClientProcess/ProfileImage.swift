import MildamClientAPI
import MildamClientStore
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamStorage

/// A profile's rooms as they lie on a disk that takes nothing: copied into memory, where they can be read. Nothing is asked of
/// the relay, and nothing changes.
public struct ProfileImage: ClientAsking {
    /// The handles of the accounts that the profile has met, but for its own, sorted.
    public let handles: [Handle]
    private let dispatcher: ClientDispatcher

    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - profile: one whose root key is there without a question.
    ///   - code: the code for why it is not done otherwise: `not-stored`, or `read-only`.
    ///   - reason: why.
    /// - Throws: what keeps it from being read.
    public init(of profile: OpenProfile, because code: String, _ reason: String) throws {
        let path = profile.place.messages
        let store = try ClientStore(
            database: try Database(image: Database.image(ofFile: path), path: path, schema: ClientStore.schema),
            root: try profile.rootKey.rootKey(making: false),
            earlier: try profile.rootKey.earlierRootKey(),
            turn: nil
        )
        let fault = RoomFault(code, ["reason": reason])
        var book = try ImageBook(store, fault)
        handles = book.met
        let rooms = try ImageRooms(store, fault)
        book.rooms = rooms
        dispatcher = ClientDispatcher(view: RoomView(rooms: rooms, book: book))
    }

    /// Answers from what was read.
    public func ask(_ ask: ClientAsk, within limit: Duration) async throws(ClientLinkError) -> ClientAnswer {
        let answer: ClientAnswer?
        do throws(RoomFault) { answer = try await dispatcher.answer(ask) } catch { throw .refused(ClientError(error)) }
        guard let answer else { throw .refused(ClientError(.unknownAsk)) }
        return answer
    }
}

/// What a profile's records in memory say.
struct ImageBook: ProfileBook {
    private let known: ProfileOwner?
    private let handles: [AccountID: Handle]
    private let seen: [AccountID: Curve25519.Signing.PublicKey]
    private let read: [RoomID: UInt64]
    private let texts: [UnsaidText]
    private let older: [OlderLedger]
    /// What has the messages of the rooms of the first kind.
    fileprivate(set) var rooms: ImageRooms?
    private let fault: RoomFault

    init(_ store: ClientStore, _ fault: RoomFault) throws {
        let isLoggedIn = try store.record(.session, []) != nil
        known = try store.record(.account, []).map {
            ProfileOwner(account: $0.account, handle: $0.handle, relay: $0.relayAddress, isLoggedIn: isLoggedIn)
        }
        let pins = try store.records(.pin).map { try $0.pin() }
        handles = Dictionary(pins.map { ($0.account, $0.handle) }) { _, last in last }
        seen = Dictionary(pins.filter(\.state.isPin).map { ($0.account, $0.identityKey) }) { _, last in last }
        var read: [RoomID: UInt64] = [:]
        for core in try store.rooms.stored().rooms { read[core.room] = try store.record(.readThrough, core.room.bytes) }
        self.read = read
        texts = try store.record(.unsaid, []) ?? []
        older = try store.olderRooms.all()
        self.fault = fault
    }

    func owner() async -> ProfileOwner? { known }

    /// The handles of the others.
    fileprivate var met: [Handle] {
        handles.filter { $0.key != known?.account }.map(\.value).sorted { $0.text < $1.text }
    }

    func handle(of account: AccountID) async -> Handle? { handles[account] }

    func pins() async -> [AccountID: Curve25519.Signing.PublicKey] { seen }

    func readThrough(_ room: RoomID) async -> UInt64 { read[room] ?? 0 }

    func markRead(_ room: RoomID, through number: UInt64) async throws(RoomFault) {
        if number > read[room] ?? 0 { throw fault }
    }

    func forget(_ room: RoomID) async throws(RoomFault) { throw fault }

    func findings() async -> [Finding] { [] }

    func olderRooms() async throws(RoomFault) -> [OlderLedger] { older }

    func olderRows(of room: OlderLedger, in numbers: ClosedRange<UInt64>) async throws(RoomFault) -> [OlderRow] {
        guard let rooms else { return [] }
        return try await rooms.olderRows(of: room, in: numbers)
    }

    func unsaid() async -> [UnsaidText] { texts }

    func drop(unsaid id: MessageID) async throws(RoomFault) -> Bool { throw fault }

    func addContact(_ handle: Handle) async throws(RoomFault) -> MetContact { throw fault }

    func addContact(by link: InviteLink) async throws(RoomFault) -> MetContact { throw fault }

    func accept(_ handle: Handle, fingerprint: String) async throws(RoomFault) -> ContactSummary { throw fault }

    func makeLink(days: Int64) async throws(RoomFault) -> (link: InviteLink, number: Int64) { throw fault }

    func revokeLink(_ number: Int64?) async throws(RoomFault) -> Int { throw fault }
}
