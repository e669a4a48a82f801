import FoundationEssentials
import Glibc
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage

@testable import MildamRelay

/// What a send costs the relay between the parsed head and the answer: the JSON read, the rules asked, the rows
/// written, fifty to a transaction.
struct StoreSend {
    private static let perCommit = 50
    private let folder: String
    private let transactor: Transactor
    private let room: RoomID
    private let sender: Sender

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
        let body = Data(repeating: 7, count: 400).base64EncodedString()
        var done = 0
        while done < turns {
            try transactor.begin(at: 0)
            for _ in 0..<min(Self.perCommit, turns - done) {
                try send(number: done, body)
                done += 1
            }
            keep(try transactor.commit().count)
        }
    }

    private func send(number: Int, _ body: String) throws(StorageError) {
        // Ids spread as drawn ones do, yet are the same in every run.
        let spread = UInt64(number + 1) &* 0x9E37_79B9_7F4A_7C15
        let id = (0..<16).map { UInt8(truncatingIfNeeded: spread >> UInt64(8 * ($0 & 7))) }
        guard let id = try? MessageID(bytes: id) else { throw .misuse("no id") }
        let json = "{\"id\":\"\(id)\",\"generation\":1,\"epoch\":0,\"body\":\"\(body)\"}"
        guard let request = try? JSONBody.decode(SendRequest.self, from: Array(json.utf8)),
            case .success(let receipt) = try transactor.perform(SendMessage(request, to: room, by: sender))
        else { throw .misuse("the send was refused") }
        keep(Int(receipt.number))
    }
}

/// Makes the account and the room that messages are sent to.
private struct Preparation: StoreOperation {
    let account: AccountID
    let room: RoomID

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard let handle = try? Handle("somebody") else { return .failure(.noSuchAccount) }
        facts.make(account, handle: handle, bundle: [1], verifier: SaltedVerifier(salt: [1], verifier: [1]))
        facts.make(Room(id: room, creator: account, members: [account: 1]))
        return .success(())
    }
}
