import FoundationEssentials
import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import TestSupport
import Testing

@testable import MildamRelay

@Suite("An older relay's database")
struct OlderDatabaseTests {
    @Test(
        "of version 4: what each account has caused is counted, and envelopes whose sender is not known count for nobody"
    )
    func versionFour() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let (alice, bob, device, room) = (AccountID.random(), AccountID.random(), DeviceID.random(), RoomID.random())
        do {
            let old = Schema(
                applicationID: RelaySchema.current.applicationID,
                migrations: Array(RelaySchema.migrations.prefix(4))
            )
            let database = try Database(path: path, schema: old)
            for (account, name) in [(alice, "alice"), (bob, "bob")] {
                try database.execute(
                    "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                    account.bytes,
                    name,
                    [UInt8](repeating: 0x7B, count: 1_000),
                    [UInt8](repeating: 1, count: 32),
                    [UInt8](repeating: 2, count: 32)
                )
            }
            try database.execute(
                "INSERT INTO devices VALUES (?, ?, ?, 1, 2)",
                bob.bytes,
                device.bytes,
                [UInt8](repeating: 1, count: 32)
            )
            try database.execute("INSERT INTO rooms VALUES (?, ?, 1, 0, 0, 1, 3, 30)", room.bytes, alice.bytes)
            for (number, account) in [(1, alice), (2, bob)] {
                try database.execute("INSERT INTO members VALUES (?, ?, 1)", room.bytes, account.bytes)
                try database.execute(
                    "INSERT INTO messages VALUES (?, ?, 1, 0, 0, ?, ?, ?, 0, ?, ?)",
                    room.bytes,
                    number,
                    account.bytes,
                    device.bytes,
                    [UInt8](repeating: UInt8(number), count: 16),
                    [UInt8](repeating: 0, count: 32),
                    [UInt8](repeating: 0, count: 10 * number)
                )
            }
            try database.execute("INSERT INTO blobs VALUES (?, ?, ?, 500, 5, 1, 0)", room.bytes, room.bytes, bob.bytes)
            try database.execute(
                "INSERT INTO mailbox VALUES (?, ?, 1, 0, ?, ?)",
                bob.bytes,
                device.bytes,
                room.bytes,
                [UInt8](repeating: 0, count: 77)
            )
        }
        let transactor = try Transactor(SQLiteLane(path: path, options: SQLiteStore(path: path).options))
        defer { transactor.lane.close() }
        func usage(of account: AccountID) throws -> DiskUsage {
            let asking = Doing<DiskUsage> { facts, _ throws(Missing) in .success(try facts.usage(of: account).disk) }
            return try transactor.alone(asking).get()
        }
        // Records, a room with two members, and a message; records, a message and a file.
        #expect(try usage(of: alice) == DiskUsage(bytes: 1_256 + 3 * 256 + 266, rooms: 1))
        #expect(try usage(of: bob) == DiskUsage(bytes: 1_256 + 276 + 756, blobs: 1))
        let address = MailboxAddress(account: bob, device: device)
        try transactor.alone(DropMailbox(address: address, last: 1)).get()
        #expect(try usage(of: alice) == DiskUsage(bytes: 1_256 + 3 * 256 + 266, rooms: 1))
        #expect(try usage(of: bob) == DiskUsage(bytes: 1_256 + 276 + 756, blobs: 1))
    }

    @Test("of version 2: accounts and sessions stay, and have begun when they were last used")
    func versionTwo() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let (account, device, session) = (AccountID.random(), DeviceID.random(), SessionID.random())
        let key = Curve25519.Signing.PrivateKey().publicKey
        let handle = try Handle("alice")
        do {
            let old = Schema(
                applicationID: RelaySchema.current.applicationID,
                migrations: Array(RelaySchema.migrations.prefix(2))
            )
            let database = try Database(path: path, schema: old)
            try database.execute(
                "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                account.bytes,
                handle.text,
                [UInt8]("{}".utf8),
                [UInt8](repeating: 1, count: 32),
                [UInt8](repeating: 2, count: 32)
            )
            try database.execute(
                "INSERT INTO devices VALUES (?, ?, ?, 1, 1)",
                account.bytes,
                device.bytes,
                key.rawRepresentation
            )
            try database.execute(
                "INSERT INTO sessions VALUES (?, ?, ?, 3, 1, ?, NULL, 1700000000)",
                account.bytes,
                device.bytes,
                session.bytes,
                [UInt8](repeating: 3, count: 32)
            )
        }
        let lane = try SQLiteLane(path: path, options: SQLiteStore(path: path).options)
        let reader = try SQLiteReads(path: path)
        let found = try reader.sessions(of: account, current: nil)
        #expect(found.count == 1 && found.first?.session == session)
        #expect(found.first?.begun == 1_700_000_000 && found.first?.refreshed == 1_700_000_000)
        #expect(try reader.login(handle, device)?.device?.key.rawRepresentation == key.rawRepresentation)
        #expect(try reader.secondFactor(of: account).isActive == false)
        #expect(try reader.auditLog(of: account).entries.isEmpty)
        let note = Doing<Void> { facts, now throws(Missing) in
            try AuditRules.note(.loggedIn, of: account, session: session, device: device, &facts, at: now)
            return .success(())
        }
        try Transactor(lane).alone(note).get()
        #expect(try reader.auditLog(of: account).entries.count == 1)
        #expect(
            try lane.database.first("PRAGMA user_version") { row throws(StorageError) in try row.int(0) }
                == RelaySchema.current.version
        )
    }

    @Test("of version 6: its rooms are no groups, and a group can be made beside them")
    func versionSix() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let (account, device, room) = (AccountID.random(), DeviceID.random(), RoomID.random())
        do {
            let old = Schema(
                applicationID: RelaySchema.current.applicationID,
                migrations: Array(RelaySchema.migrations.prefix(6))
            )
            let database = try Database(path: path, schema: old)
            try database.execute(
                "INSERT INTO accounts VALUES (?, ?, ?, ?, ?)",
                account.bytes,
                "alice",
                [UInt8](repeating: 0x7B, count: 10),
                [UInt8](repeating: 1, count: 32),
                [UInt8](repeating: 2, count: 32)
            )
            try database.execute("INSERT INTO rooms VALUES (?, ?, 1, 0, 0, 1, 1, 0)", room.bytes, account.bytes)
            try database.execute("INSERT INTO members VALUES (?, ?, 1, 1)", room.bytes, account.bytes)
        }
        let transactor = try Transactor(SQLiteLane(path: path, options: SQLiteStore(path: path).options))
        defer { transactor.lane.close() }
        let sender = Sender(account: account, device: device, session: .random(), expires: 0)
        let text = ScriptGroup.say([1], in: room, by: sender)
        #expect(throws: APIError.noGroup) { try transactor.alone(text).get() }
        let group = CheckedGroup(
            generation: 0,
            groupID: [1],
            treeHash: [2],
            groupInfo: [3],
            externalPub: [UInt8](repeating: 3, count: 32),
            snapshot: [4],
            accounts: [account]
        )
        let made = CreateGroup(id: .random(), sender: sender, group: group, policy: .open)
        #expect(try transactor.alone(made).get().next == 1)
        let reads = try SQLiteReads(path: path)
        guard case .member(nil) = try reads.group(of: room, for: account) else {
            Issue.record("a room with keys became a group")
            return
        }
    }

    @Test("of version 4: its rooms are accepted, and its mailboxes are of known senders")
    func versionFourMailboxes() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("relay.db")
        let (account, device, room) = (AccountID.random(), DeviceID.random(), RoomID.random())
        do {
            let old = Schema(
                applicationID: RelaySchema.current.applicationID,
                migrations: Array(RelaySchema.migrations.prefix(4))
            )
            let database = try Database(path: path, schema: old)
            try database.execute(
                "INSERT INTO accounts VALUES (?, 'alice', ?, ?, ?)",
                account.bytes,
                [1] as [UInt8],
                [1] as [UInt8],
                [1] as [UInt8]
            )
            try database.execute(
                "INSERT INTO devices VALUES (?, ?, ?, 1, 3)",
                account.bytes,
                device.bytes,
                [1] as [UInt8]
            )
            try database.execute("INSERT INTO rooms VALUES (?, ?, 1, 0, 0, 1, 1, 0)", room.bytes, account.bytes)
            try database.execute("INSERT INTO members VALUES (?, ?, 1)", room.bytes, account.bytes)
            for number in 1...2 {
                try database.execute(
                    "INSERT INTO mailbox VALUES (?, ?, ?, 0, ?, ?)",
                    account.bytes,
                    device.bytes,
                    number,
                    room.bytes,
                    [1, 2] as [UInt8]
                )
            }
        }
        let address = MailboxAddress(account: account, device: device)
        let transactor = try Transactor(SQLiteLane(path: path, options: SQLiteStore(path: path).options))
        let reader = try SQLiteReads(path: path)
        #expect(try reader.room(room)?.accepted == [account])
        let items = try reader.mailbox(address, from: 1)?.items ?? []
        #expect(items.count == 2 && items.allSatisfy { $0.from == nil && !$0.isRequest })
        func known() throws -> Int? {
            try transactor.alone(Doing<Int?> { facts, _ throws(Missing) in .success(try facts.device(address)?.known) })
                .get()
        }
        #expect(try known() == 2)
        try transactor.alone(DropMailbox(address: address, last: 1)).get()
        #expect(try known() == 1)
        transactor.lane.close()
    }
}
