import Glibc
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamWire

@testable import MildamRelay

/// What a send costs the relay between the parsed head and the answer: the body read, the rules asked, the rows
/// written, fifty to a transaction.
struct StoreSend {
    private static let perCommit = 50
    private let folder: String
    private let transactor: Transactor
    private let room: RoomID
    private let sender: Sender
    private let message = Self.message

    init() throws {
        // The same path everywhere: its length is part of what is counted.
        var template = Array("/tmp/mildam-hot-path.XXXXXX".utf8CString)
        guard let made = unsafe mkdtemp(&template) else { throw Unexpected() }
        folder = unsafe String(cString: made)
        let store = SQLiteStore(path: folder + "/relay.db")
        transactor = try Transactor(SQLiteLane(path: store.path, options: store.options))
        room = try RoomID(bytes: fixed(1))
        sender = Sender(
            account: try AccountID(bytes: fixed(2)),
            device: try DeviceID(bytes: fixed(3)),
            session: try SessionID(bytes: fixed(4)),
            expires: .max
        )
        try transactor.begin(at: 0)
        guard case .success = try transactor.perform(Preparation(account: sender.account, room: room)) else {
            throw Unexpected()
        }
        keep(try transactor.commit().count)
    }

    func take(_ turns: Int) throws {
        defer {
            for name in ["", "-wal", "-shm"] { unsafe unlink(folder + "/relay.db" + name) }
            unsafe rmdir(folder)
        }
        var done = 0
        while done < turns {
            try transactor.begin(at: 0)
            for _ in 0..<min(Self.perCommit, turns - done) {
                try send(number: done)
                done += 1
            }
            keep(try transactor.commit().count)
        }
    }

    private func send(number: Int) throws(StorageError) {
        // Ids spread as drawn ones do, yet are the same in every run.
        let spread = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        let id = (0..<16).map { UInt8(truncatingIfNeeded: spread >> UInt64(8 * ($0 & 7))) }
        guard let id = try? MessageID(bytes: id) else { throw .misuse("no id") }
        let sent = GroupSendRequest(id: id, generation: 0, epoch: 0, seen: 0, content: .application(message))
        guard let request = try? StructureBody.decode(GroupSendRequest.self, from: sent.wireBytes),
            (try? RelayService.checkApplication(request)) != nil,
            case .success(let receipt) = try transactor.perform(
                SendToGroup(request, .application, to: room, by: sender)
            )
        else { throw .misuse("the send was refused") }
        keep(Int(receipt.number))
    }

    /// A message of 400 bytes that says what it is, and besides nothing: the relay could not look into it.
    private static var message: [UInt8] {
        var writer = WireWriter(capacity: 400)
        writer.integer(UInt16(1))  // mls10
        writer.integer(UInt16(2))  // mls_private_message
        writer.vector(fixed(5))  // group_id
        writer.integer(UInt64(0))  // epoch
        writer.integer(UInt8(1))  // application
        writer.vector([UInt8]())  // authenticated_data
        writer.vector([UInt8](repeating: 6, count: 28))  // encrypted_sender_data
        writer.vector([UInt8](repeating: 7, count: 338))  // ciphertext
        return writer.bytes
    }
}

/// Makes the account and the room that messages are sent to.
private struct Preparation: StoreOperation {
    let account: AccountID
    let room: RoomID

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let handle = try? Handle("somebody") else { return .failure(.noSuchAccount) }
        facts.make(account, handle: handle, bundle: [1], verifier: SaltedVerifier(salt: [1], verifier: [1]))
        let group = RoomGroup(id: fixed(5), treeHash: [UInt8](repeating: 8, count: 32))
        facts.make(Room(id: room, creator: account, generation: 0, members: [account: 1], group: group))
        return .success(())
    }
}
