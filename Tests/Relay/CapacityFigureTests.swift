import Foundation
import MildamIdentity
import MildamRelayAPI
import MildamTransport
import Testing

@testable import MildamRelay

/// What the page says of sizes and counts, held against the constants and answers that they come from.
@Suite("Documentation/capacity.md: its figures")
struct CapacityFigureTests {
    private let quota = RelayQuota()
    private let page: CapacityPage

    init() throws {
        page = try CapacityPage()
    }

    private enum Column: Int {
        case read = 2
        case written, keeps
        case answers = 6
    }

    private func cell(_ route: String, _ column: Column) throws -> String {
        let row = try #require(page.rows(under: "Routes").first { $0[0] == "`\(route)`" }, "no row for \(route)")
        return row[column.rawValue]
    }

    private func says(_ route: String, _ column: Column, _ expected: String) throws {
        #expect(try cell(route, column) == expected, "\(route), \(column)")
    }

    // MARK: Answers

    /// How long a value is as an answer.
    private func length(_ value: some Encodable) -> Int { HTTPResponse.json(value).body.count }

    private func messages() -> MessagePage {
        let message = RoomMessage(
            number: .max,
            generation: .max,
            epoch: .max,
            kind: .commit,
            account: .random(),
            device: .random(),
            stored: .max,
            body: Data(count: Limits.pageBytes / Limits.page),
            id: .random(),
            externalPub: Data(count: Limits.digest)
        )
        return MessagePage(first: .max, next: .max, messages: Array(repeating: message, count: Limits.page))
    }

    private func mailbox() -> MailboxPage {
        let item = MailboxItem(
            number: .max,
            kind: .envelope,
            room: .random(),
            body: Data(count: Limits.pageBytes / Limits.page),
            from: .random()
        )
        return MailboxPage(first: .max, next: .max, items: Array(repeating: item, count: Limits.page))
    }

    @Test("pages of messages and mailboxes")
    func pages() throws {
        let messages = CapacityPage.mebibytes(length(messages()))
        try says("GET /v1/rooms/{room}/messages", .answers, messages)
        try says("GET /v1/rooms/{room}/messages", .read, "\(Limits.page + 2)")
        try says("GET /v1/mailbox", .answers, CapacityPage.mebibytes(length(mailbox())))
        try says("GET /v1/mailbox", .read, "\(Limits.page + 1)")
        try says("GET /v1/socket", .answers, "the room, in pages of \(messages)")
        try says("GET /v1/socket", .read, "what is subscribed to, a page of \(Limits.page) at a time")
        let pages = CapacityPage.grouped(CapacityPage.day(.reading))
        #expect(page.text.contains("reads \(pages) pages of \(messages)"))
    }

    @Test("rooms and their members")
    func rooms() throws {
        func state(_ members: Int) -> RoomState {
            RoomState(
                room: .random(),
                generation: .max,
                epoch: .max,
                renewalDue: false,
                first: .max,
                next: .max,
                members: (0..<members).map { _ in .random() }
            )
        }
        let (rooms, members) = (ReadRules.roomsAtOnce, ReadRules.membersAtOnce)
        let list = RoomList(rooms: Array(repeating: state(members / rooms), count: rooms))
        try says("GET /v1/rooms", .answers, "\(CapacityPage.bound(length(list))), and one room's more")
        try says(
            "GET /v1/rooms",
            .read,
            "\(rooms) rooms with \(CapacityPage.grouped(members)) members, and one room's more"
        )
        try says("GET /v1/rooms/{room}", .answers, "\(length(state(2)) - length(state(1))) bytes a member")
    }

    @Test("lists of an account")
    func lists() throws {
        let session = SessionDescription(
            session: .random(),
            device: .random(),
            begun: Int64(Int32.max),
            refreshed: Int64(Int32.max),
            isCurrent: false
        )
        let count = DeviceList.maximumCount
        try says("GET /v1/sessions", .read, "\(count)")
        let sessions = SessionList(sessions: Array(repeating: session, count: count))
        try says("GET /v1/sessions", .answers, CapacityPage.bound(length(sessions)))
        let standing = StandingEntry(id: .random(), standing: .blocked)
        let standings = StandingList(standings: Array(repeating: standing, count: Limits.standings))
        try says("GET /v1/account/standings", .read, "\(Limits.standings)")
        try says("GET /v1/account/standings", .answers, CapacityPage.bound(length(standings)))
        let entry = AuditEntry(
            kind: .operatorRemovedSecondFactor,
            time: Int64(Int32.max),
            count: 1_000_000_000,
            session: .random(),
            device: .random()
        )
        let lines = AuditRules.lines + AuditRules.failures
        let log = AuditLog(entries: Array(repeating: entry, count: lines))
        try says("GET /v1/account/log", .answers, CapacityPage.bound(length(log)))
        #expect(try cell("GET /v1/account/log", .read).hasPrefix("\(lines);"))
        // A line and a counter for each account whose logins failed.
        let written = CapacityPage.grouped(2 * FailedLogins.maximum)
        try says("GET /v1/account/log", .written, "0; \(written) where logins failed")
    }

    // MARK: Rows

    @Test("what is read, written and kept")
    func rows() throws {
        let standings = CapacityPage.grouped(quota.standings)
        try says("PUT /v1/account/standings/{standing}", .read, "6; \(standings) counted")
        try says("DELETE /v1/account/standings/{standing}", .read, "2; \(standings) counted")
        for column in [Column.read, .written] {
            try says("PUT /v1/account/links/{link}", column, "\(quota.links + 3)")
        }
        try says("DELETE /v1/account/links/{link}", .read, "\(quota.links)")
        try says("DELETE /v1/mailbox", .written, "1; the rest goes in steps of \(Portion.maxRows) rows")
        let deleted = try cell("POST /v1/account/deletion", .written)
        #expect(deleted.contains("\(DeviceList.maximumCount) devices"))
        #expect(deleted.contains("in steps of \(Portion.maxRows) rows"))
        try says("POST /v1/accounts", .keeps, CapacityPage.size(Limits.accountBody))
        try says("GET /v1/accounts/{handle}", .answers, CapacityPage.size(Limits.accountBody))
        try says("PUT /v1/rooms/{room}/blobs/{blob}", .keeps, CapacityPage.size(Limits.blobPiece))
        try says("GET /v1/rooms/{room}/blobs/{blob}/content", .answers, CapacityPage.size(Limits.blobPiece))
        let kept = try cell("POST /v1/rooms/{room}/group/messages", .keeps)
        #expect(kept.hasPrefix("\(CapacityPage.size(Limits.message));"))
        let read = try cell("POST /v1/rooms/{room}/group/messages", .read)
        #expect(read.hasSuffix("\(quota.requestItems) for each of \(quota.fullParts) full strangers' parts"))
    }

    // MARK: Connections

    @Test("what a connection may have")
    func connections() throws {
        let configuration = RelayConfiguration(dataFolder: "", address: .loopback(port: 0))
        let limits = RelayServer.limits(configuration, connections: ServerLimits().maxConnections)
        let before = try page.rows(under: "Before a route")
        func says(_ name: String, _ expected: String) {
            let bound = before.first { $0[0] == name }?[4]
            #expect(bound?.hasSuffix(expected) == true, "\(name): \(bound ?? "no row")")
        }
        let (address, network) = (limits.maxConnectionsPerAddress, limits.maxConnectionsPerNetwork)
        says(
            "connection",
            "\(CapacityPage.grouped(address)) at once from one address, "
                + "\(CapacityPage.grouped(network)) from one network"
        )
        let seconds = limits.headTimeout.components.seconds
        says("TLS handshake", "\(seconds) s, until the first request's head has come")
        says(
            "head of a request",
            "\(CapacityPage.size(limits.maxHeadBytes)) and \(limits.maxFields) fields; \(seconds) s"
        )
        says(
            "body of a request",
            "\(CapacityPage.size(limits.maxBodyBytes)) where a token is missing; "
                + "\(CapacityPage.size(limits.maxBytesPerAddress)) at once of one address"
        )
        let message = CapacityPage.size(limits.maxMessageBytes)
        let unread = CapacityPage.size(limits.maxQueuedBytesPerConnection)
        for sentence in [
            "asked over \(message) messages", "of which an account may have \(LiveHub.maximumSockets);",
            "whoever has \(unread) unread",
        ] {
            #expect(page.text.contains(sentence), "\(sentence)")
        }
        // Half a millisecond each.
        let waiting = limits.maxWaitingHandshakes
        let longest = Int((Double(waiting) * 0.0005).rounded())
        let sentence = "at each of its two steps: \(longest) s a step where all \(CapacityPage.grouped(waiting))"
        #expect(page.text.contains(sentence))
    }

    // MARK: A day

    @Test("what is left of a day, and the quotas that bound it")
    func aDay() throws {
        func many(_ rule: RateRule) -> String { CapacityPage.grouped(CapacityPage.day(rule)) }
        func day(_ rule: RateRule) -> Double { Double(CapacityPage.day(rule)) }
        let row = Double(DiskUsage.row)
        let (known, strange) = (CapacityPage.size(quota.senderBytes), CapacityPage.size(quota.senderRequestBytes))
        let gigabytes = 1_000_000_000
        let written = CapacityPage.rounded(day(.upload) * Double(Limits.blobPiece) / 1e12)
        // The rows of a room, its first member, its group, the GroupInfo and the snapshot.
        let rooms = CapacityPage.rounded(day(.roomCreation) * (5 * row + Double(Limits.groupInfo)) / 1e9)
        let words = CapacityPage.rounded(Double(quota.standings + quota.links) * row / 1e6)
        let records = CapacityPage.rounded(day(.registration) * Double(Limits.accountBody) / 1e6)
        let files = CapacityPage.rounded(day(.registration) * Double(quota.accountBytes) / 1e12)
        #expect(Retention().unfinishedDays == 7)
        for sentence in [
            "In one mailbox \(CapacityPage.grouped(quota.senderItems)) Welcomes (\(known)) where it is known, "
                + "\(quota.senderRequests) (\(strange)) where it is not",
            "\(Int((day(.messageBytes) / 1e6).rounded())) MB of messages: \(many(.message)) of some "
                + "\(Int((day(.messageBytes) / day(.message) - row) / 50) * 50) bytes, "
                + "or \(Int(day(.messageBytes)) / (Limits.message + Int(row))) of 256 KiB",
            "\(CapacityPage.rounded(day(.refilledBytes) / 1e6)) MB of what it gives back",
            "\(CapacityPage.rounded(day(.sentBytes) / 1e9)) GB of Welcomes",
            "\(quota.accountBytes / gigabytes) GB of everything together",
            "goes after seven days", "\(written) TB in pieces of files",
            "\(many(.roomCreation)) rooms, which count \(rooms) GB, "
                + "and \(CapacityPage.grouped(quota.accountRooms)) in all",
            "\(CapacityPage.grouped(quota.standings)) words about others and \(quota.links) links, "
                + "which count \(words) MB",
            "\(many(.consent)) times it can change them",
            "\(many(.lookup)) handles of which it knows",
            "opens \(many(.connection)) connections, of which \(many(.handshake)) come to a handshake: "
                + "\(Int(day(.handshake) * 0.0005 / 60)) minutes of a core at 0.5 ms each",
            "sends \(many(.request)) requests, "
                + "which take one \(CapacityPage.rounded(day(.request) * 0.0001 / 3600)) hours",
            "check \(many(.login)) signatures of logins and as many of refreshes, "
                + "\(Int((day(.login) * 0.0002).rounded())) s of a core",
            "makes \(many(.registration)) in a day, with \(records) MB of records",
            "keep \(quota.networkBytes / gigabytes) GB together", "\(files) TB of files",
            "with \(DiskUsage.row) bytes a row beside its content",
        ] {
            #expect(page.text.contains(sentence), "\(sentence)")
        }
        #expect(RateRule.login.rate == RateRule.refresh.rate)
    }
}
