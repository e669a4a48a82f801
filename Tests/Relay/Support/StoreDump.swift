import FoundationEssentials
import MildamIdentity
import MildamStorage

@testable import MildamRelay

/// Every row of every table of a store as text, the same for all stores: `kind` and the columns as SQL literals.
struct StoreDump: Equatable {
    struct Row: Hashable, Comparable {
        let kind: String
        let columns: [String]

        var line: String { ([kind] + columns).joined(separator: " ") }

        static func < (left: Row, right: Row) -> Bool { left.line < right.line }
    }

    /// Bytes as they stand in a column.
    static func literal(_ bytes: [UInt8]) -> String { q(bytes) }

    /// The identifier that stands in a column.
    static func identifier<Kind>(_ column: String) throws -> Identifier<Kind> {
        let digits = Array(column.dropFirst(2).dropLast())
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        return try Identifier(bytes: bytes)
    }

    /// The identifiers in a column of all rows of a kind.
    func identifiers<Kind>(_ kind: String, _ column: Int) throws -> [Identifier<Kind>] {
        try rows.filter { $0.kind == kind }.map { try Self.identifier($0.columns[column]) }
    }

    /// In the order of their text.
    let rows: [Row]

    /// What tests look for in a relay: without keys of devices, second factors, logs, and when what happened.
    var lines: [String] {
        rows.compactMap { row in
            Self.shown[row.kind].map { columns in ([row.kind] + columns.map { row.columns[$0] }).joined(separator: " ")
            }
        }
    }

    private static let shown: [String: [Int]] = [
        "account": [0, 1, 2, 4], "device": [0, 1, 3, 4], "mailbox": [0, 1, 2, 5], "session": [2, 3, 5, 6],
        "room": [0, 2, 3, 4, 5, 6], "member": [0, 1, 2], "message": [0, 1, 7, 9], "blob": [0, 1, 3, 4],
    ]

    // MARK: SQLite

    /// Of a database.
    init(path: String) throws(StorageError) {
        var options = Database.Options()
        options.readOnly = true
        let database = try Database(path: path, schema: RelaySchema.current, options: options)
        func rows(_ kind: String, _ columns: Int, _ sql: StaticString) throws(StorageError) -> [Row] {
            try database.rows(sql) { row throws(StorageError) in
                var values: [String] = []
                for column in 0..<columns { values.append(try row.text(column)) }
                return Row(kind: kind, columns: values)
            }
        }
        var all = try rows(
            "account",
            5,
            "SELECT quote(account), quote(handle), quote(bundle), quote(verifier_salt), quote(verifier) FROM accounts"
        )
        all += try rows(
            "device",
            8,
            """
            SELECT quote(account), quote(device), quote(signature_key), quote(mailbox_first), quote(mailbox_next),
            quote(known_items), quote(request_items), quote(request_bytes) FROM devices
            """
        )
        all += try rows(
            "mailbox",
            8,
            """
            SELECT quote(account), quote(device), quote(number), quote(kind), quote(room), quote(body), quote(sender),
            quote(is_request) FROM mailbox
            """
        )
        all += try rows(
            "session",
            10,
            """
            SELECT quote(account), quote(device), quote(session), quote(step), quote(key), quote(digest),
            quote(previous), quote(used), quote(begun), quote(thumbprint) FROM sessions
            """
        )
        all += try rows(
            "factor",
            7,
            """
            SELECT quote(account), quote(key), quote(secret), quote(is_active), quote(step), quote(failures),
            quote(locked_until) FROM second_factors
            """
        )
        all += try rows(
            "recovery",
            3,
            "SELECT quote(account), quote(salt), quote(verifier) FROM recovery_codes"
        )
        all += try rows(
            "audit",
            8,
            """
            SELECT quote(account), quote(number), quote(kind), quote(is_failure), quote(time), quote(count),
            quote(session), quote(device) FROM audit
            """
        )
        all += try rows(
            "room",
            10,
            """
            SELECT quote(room), quote(creator), quote(generation), quote(epoch), quote(renewal_due), quote(first),
            quote(next), quote(bytes), quote(is_group), quote(shown) FROM rooms
            """
        )
        all += try rows(
            "member",
            4,
            "SELECT quote(room), quote(account), quote(since), quote(accepted) FROM members"
        )
        all += try rows(
            "share",
            7,
            """
            SELECT quote(account), quote(device), quote(sender), quote(known_items), quote(known_bytes),
            quote(request_items), quote(request_bytes) FROM shares
            """
        )
        all += try rows(
            "standing",
            4,
            "SELECT quote(account), quote(standing), quote(sender), quote(is_blocked) FROM standings"
        )
        all += try rows("link", 3, "SELECT quote(account), quote(link), quote(expires) FROM links")
        all += try rows("invitation", 2, "SELECT quote(digest), quote(expires) FROM invitations")
        all += try rows(
            "message",
            12,
            """
            SELECT quote(room), quote(number), quote(generation), quote(epoch), quote(kind), quote(account),
            quote(device), quote(id), quote(stored), quote(digest), quote(body), quote(external_pub) FROM messages
            """
        )
        all += try rows(
            "blob",
            7,
            """
            SELECT quote(room), quote(blob), quote(account), quote(size), quote(received), quote(number),
            quote(stored) FROM blobs
            """
        )
        all += try rows(
            "usage",
            5,
            "SELECT quote(account), quote(bytes), quote(blobs), quote(rooms), quote(network) FROM usage"
        )
        all += try rows("network", 2, "SELECT quote(network), quote(pieces) FROM networks")
        all += try rows("closing", 2, "SELECT quote(account), quote(bytes) FROM closings")
        all += try rows("lost", 3, "SELECT quote(room), quote(first), quote(last) FROM lost")
        all += try rows(
            "cursor",
            4,
            "SELECT quote(room), quote(account), quote(device), quote(number) FROM cursors"
        )
        all += try StoreDump.groups(rows)
        self.rows = all.sorted()
    }

    // MARK: The model

    /// Of the model.
    init(_ model: ModelRows) {
        var all: [Row] = []
        func add(_ kind: String, _ columns: String...) { all.append(Row(kind: kind, columns: columns)) }
        for (id, account) in model.accounts {
            let verifier = account.verifier
            add("account", q(id), q(account.name), q(account.bundle), q(verifier.salt), q(verifier.verifier))
        }
        for (address, device) in model.devices {
            let numbers = device.mailbox
            add(
                "device",
                q(address.account),
                q(address.device),
                q(device.key),
                q(numbers.lowerBound),
                q(numbers.upperBound),
                q(device.known),
                q(device.requests.items),
                q(device.requests.bytes)
            )
        }
        for (address, items) in model.mailbox {
            for item in items {
                add(
                    "mailbox",
                    q(address.account),
                    q(address.device),
                    q(item.number),
                    q(item.kind.code),
                    q(item.room),
                    q([UInt8](item.body)),
                    item.from.map { q($0) } ?? "NULL",
                    q(item.isRequest ? 1 : 0)
                )
            }
        }
        for (address, session) in model.sessions {
            let family = session.family
            add(
                "session",
                q(address.account),
                q(address.device),
                q(session.id),
                q(family.step),
                q(family.key),
                q(family.digest),
                family.previous.map(q) ?? "NULL",
                q(family.used),
                q(session.begun),
                session.thumbprint.map(q) ?? "NULL"
            )
        }
        for (account, factor) in model.factors {
            let state = factor.state
            add(
                "factor",
                q(account),
                q(factor.secret.key),
                q(factor.secret.sealed),
                q(factor.isActive ? 1 : 0),
                q(state.step),
                q(state.failures),
                q(state.lockedUntil)
            )
        }
        for (account, codes) in model.recoveryCodes {
            for code in codes { add("recovery", q(account), q(code.salt), q(code.verifier)) }
        }
        for line in model.audit.values.joined() {
            add(
                "audit",
                q(line.account),
                q(line.line.number),
                q(line.line.kind),
                q(line.line.isFailure ? 1 : 0),
                q(line.line.time),
                q(line.line.count),
                line.session.map(q) ?? "NULL",
                line.device.map(q) ?? "NULL"
            )
        }
        for room in model.rooms.values {
            add(
                "room",
                q(room.id),
                q(room.creator),
                q(room.generation),
                q(room.epoch),
                q(room.renewalDue ? 1 : 0),
                q(room.first),
                q(room.next),
                q(room.bytes),
                q(room.group == nil ? 0 : 1),
                q(room.shown)
            )
            for (account, since) in room.members {
                add("member", q(room.id), q(account), q(since), q(room.accepted.contains(account) ? 1 : 0))
            }
        }
        for new in model.messages.values.joined() {
            let message = new.message
            add(
                "message",
                q(new.room),
                q(message.number),
                q(message.generation),
                q(message.epoch),
                q(message.kind.code),
                q(message.account),
                q(message.device),
                q(new.id),
                q(message.stored),
                q(new.digest),
                q([UInt8](message.body)),
                message.externalPub.map { q([UInt8]($0)) } ?? "NULL"
            )
        }
        for (name, blob) in model.blobs {
            let known = blob.known
            add(
                "blob",
                q(name.room),
                q(name.blob),
                q(known.owner),
                q(known.state.size),
                q(known.state.received),
                q(known.number),
                q(blob.stored)
            )
        }
        // Not what it was told, but what its rows come to.
        let usages = model.recounted
        for (account, usage) in usages {
            add(
                "usage",
                q(account),
                q(usage.disk.bytes),
                q(usage.disk.blobs),
                q(usage.disk.rooms),
                usage.network.map { q($0.bytes) } ?? "NULL"
            )
        }
        for (network, pieces) in model.pieces(usages) { add("network", q(network.bytes), q(pieces)) }
        for (key, share) in model.consent.shares {
            add(
                "share",
                q(key.address.account),
                q(key.address.device),
                q(key.sender),
                q(share.known.items),
                q(share.known.bytes),
                q(share.requests.items),
                q(share.requests.bytes)
            )
        }
        for (name, row) in model.consent.standings {
            add("standing", q(name.owner), q(name.id), q(row.sender), q(row.standing == .blocked ? 1 : 0))
        }
        for (account, links) in model.consent.links {
            for (link, expires) in links { add("link", q(account), q(link), q(expires)) }
        }
        for (digest, expires) in model.consent.invitations { add("invitation", q(digest), q(expires)) }
        for (account, closing) in model.closings { add("closing", q(account), q(closing)) }
        for (room, ranges) in model.lost {
            for range in ranges { add("lost", q(room), q(range.lowerBound), q(range.upperBound)) }
        }
        for (name, number) in model.cursors {
            add("cursor", q(name.room), q(name.address.account), q(name.address.device), q(number))
        }
        all += StoreDump.groups(of: model)
        rows = all.sorted()
    }
}

// MARK: Groups

extension StoreDump {
    /// Reads the rows of groups from a database.
    fileprivate static func groups(
        _ rows: (String, Int, StaticString) throws(StorageError) -> [Row]
    ) throws(StorageError) -> [Row] {
        try rows(
            "group",
            9,
            """
            SELECT quote(room), quote(generation), quote(group_id), quote(tree_hash), quote(handshake), quote(due),
            quote(pending), quote(commits), quote(snapshot) FROM groups
            """
        )
            + rows(
                "group_info",
                7,
                """
                SELECT quote(room), quote(place), quote(generation), quote(epoch), quote(account), quote(external_pub),
                quote(bytes) FROM group_infos
                """
            )
            + rows(
                "group_info_answer",
                3,
                "SELECT quote(room), quote(account), quote(external_pub) FROM group_info_answers"
            )
            + rows(
                "snapshot",
                6,
                """
                SELECT quote(room), quote(number), quote(generation), quote(epoch), quote(account), quote(bytes)
                FROM snapshots
                """
            )
            + rows(
                "key_package",
                6,
                """
                SELECT quote(account), quote(device), quote(reference), quote(is_last_resort), quote(not_after),
                quote(bytes) FROM key_packages
                """
            )
            + rows(
                "claim",
                5,
                "SELECT quote(account), quote(claim), quote(owner), quote(stored), quote(answer) FROM claims"
            )
    }

    /// The rows of groups of the model.
    fileprivate static func groups(of model: ModelRows) -> [Row] {
        var all: [Row] = []
        func add(_ kind: String, _ columns: String...) { all.append(Row(kind: kind, columns: columns)) }
        for room in model.rooms.values {
            guard let group = room.group else { continue }
            add(
                "group",
                q(room.id),
                q(room.generation),
                q(group.id),
                q(group.treeHash),
                q(group.handshake),
                q(group.due),
                q(group.pending),
                q(group.commits),
                q(group.snapshot)
            )
        }
        for info in model.groups.infos.values.joined() {
            add(
                "group_info",
                q(info.room),
                q(info.place),
                q(info.generation),
                q(info.epoch),
                q(info.account),
                q(info.externalPub),
                q(info.bytes)
            )
        }
        for (room, answers) in model.groups.answers {
            for (account, externalPub) in answers {
                add("group_info_answer", q(room), q(account), q(externalPub))
            }
        }
        for made in model.groups.snapshots.values.joined() {
            add(
                "snapshot",
                q(made.room),
                q(made.number),
                q(made.generation),
                q(made.epoch),
                q(made.account),
                q(made.bytes)
            )
        }
        for (name, row) in model.groups.keyPackages {
            add(
                "key_package",
                q(name.address.account),
                q(name.address.device),
                q(name.reference),
                q(row.isLastResort ? 1 : 0),
                q(row.notAfter),
                q(row.bytes)
            )
        }
        for (name, row) in model.groups.claims {
            add("claim", q(name.claimer), q(name.id), q(row.owner), q(row.stored), q(row.answer))
        }
        return all
    }
}

private func q<Kind>(_ identifier: Identifier<Kind>) -> String { q(identifier.bytes) }

private func q(_ number: some BinaryInteger) -> String { "\(number)" }

private func q(_ text: String) -> String { "'\(text)'" }

private func q(_ bytes: [UInt8]) -> String {
    var text = "X'"
    text.reserveCapacity(2 * bytes.count + 3)
    let digits = Array("0123456789ABCDEF")
    for byte in bytes {
        text.append(digits[Int(byte >> 4)])
        text.append(digits[Int(byte & 15)])
    }
    return text + "'"
}
