import MildamIdentity

@testable import MildamClientAPI

/// A frame of each kind, with every ask, answer and change in it, and the line that each is.
enum Frames {
    static let room = "irceirceirceirceirceirceiq"
    static let account = "eirceirceirceirceirceircei"
    static let message = "kvkvkvkvkvkvkvkvkvkvkvkvku"

    static func all() throws -> [(frame: ClientFrame, line: String)] {
        var frames = conversations()
        for (ask, line) in try asks() { frames.append((.ask(id: 7, ask), #"{"ask":\#(line),"id":7}"#)) }
        for (answer, line) in try answers() { frames.append((.ok(id: 7, answer), #"{"id":7,"ok":\#(line)}"#)) }
        for (change, line) in try changes() {
            frames.append((.changes(rev: 812, [change]), #"{"changes":[\#(line)],"rev":812}"#))
        }
        return frames
    }

    private static func conversations() -> [(frame: ClientFrame, line: String)] {
        let greeting = ClientGreeting(
            version: "0.1.0",
            build: "0.1.0-1-2",
            boot: "b",
            profile: "default",
            stage: .ready
        )
        return [
            (
                .hello(greeting),
                #"{"hello":{"boot":"b","build":"0.1.0-1-2","profile":"default","stage":"ready","version":"0.1.0"}}"#
            ),
            (
                .error(id: 8, ClientError(.noSuchRoom, ["room": room])),
                #"{"error":{"code":"no-such-room","parameters":{"room":"\#(room)"}},"id":8}"#
            ),
            (.resync, #"{"resync":{}}"#),
        ]
    }

    private static func asks() throws -> [(ClientAsk, String)] {
        let (id, handle) = (try RoomID(room), try Handle("carol"))
        let inRoom = #"{"room":"\#(room)"}"#
        return [
            (.rooms(), #"{"rooms":{}}"#),
            (.rooms(after: id), #"{"rooms":{"after":"\#(room)"}}"#),
            (
                .openRoom(room: id, at: .unread, before: 40, after: 20),
                #"{"openRoom":{"after":20,"at":{"unread":{}},"before":40,"room":"\#(room)"}}"#
            ),
            (
                .openRoom(room: id, at: .number(at: 5), before: 0, after: 200),
                #"{"openRoom":{"after":200,"at":{"number":{"at":5}},"before":0,"room":"\#(room)"}}"#
            ),
            (.fullText(room: id, number: 9), #"{"fullText":{"number":9,"room":"\#(room)"}}"#),
            (.send(room: id, text: "soup \"is\"\nready"), #"{"send":{"room":"\#(room)","text":"soup \"is\"\nready"}}"#),
            (.createRoom(name: "kitchen"), #"{"createRoom":{"name":"kitchen"}}"#),
            (.createRoom(name: "kitchen", id: id), #"{"createRoom":{"id":"\#(room)","name":"kitchen"}}"#),
            (.invite(room: id, handle: handle), #"{"invite":{"handle":"carol","room":"\#(room)"}}"#),
            (.accept(room: id), #"{"accept":\#(inRoom)}"#),
            (.decline(room: id), #"{"decline":\#(inRoom)}"#),
            (.leave(room: id), #"{"leave":\#(inRoom)}"#),
            (.remove(room: id, handle: handle), #"{"remove":{"handle":"carol","room":"\#(room)"}}"#),
            (
                .role(room: id, handle: handle, role: .admin),
                #"{"role":{"handle":"carol","role":"admin","room":"\#(room)"}}"#
            ),
            (
                .policy(room: id, members: MemberPolicy(invite: true, remove: false, describe: true)),
                #"{"policy":{"members":{"describe":true,"invite":true,"remove":false},"room":"\#(room)"}}"#
            ),
            (.renew(room: id), #"{"renew":\#(inRoom)}"#),
            (.rename(room: id, name: "부엌"), #"{"rename":{"name":"부엌","room":"\#(room)"}}"#),
            (.members(room: id), #"{"members":\#(inRoom)}"#),
            (.verify(room: id), #"{"verify":\#(inRoom)}"#),
            (
                .markRead(room: id, through: .max),
                #"{"markRead":{"room":"\#(room)","through":18446744073709551615}}"#
            ),
            (
                .outcome(of: try MessageID(message), seconds: 60),
                #"{"outcome":{"of":"\#(message)","seconds":60}}"#
            ),
            (.status, #"{"status":{}}"#),
            (.subscribe, #"{"subscribe":{}}"#),
            (.stop, #"{"stop":{}}"#),
            (.keysOfRooms(seconds: 30), #"{"keysOfRooms":{"seconds":30}}"#),
            (.troubles, #"{"troubles":{}}"#),
            (.examine, #"{"examine":{}}"#),
            (.continueRoom(room: id), #"{"continueRoom":\#(inRoom)}"#),
            (
                .sendFile(room: id, path: "/tmp/a.png"),
                #"{"sendFile":{"path":"/tmp/a.png","room":"\#(room)"}}"#
            ),
            (
                .sendFile(room: id, path: "/tmp/a.png", text: "look"),
                #"{"sendFile":{"path":"/tmp/a.png","room":"\#(room)","text":"look"}}"#
            ),
            (
                .sendFile(room: id, path: "/tmp/a.png", id: try MessageID(message)),
                #"{"sendFile":{"id":"\#(message)","path":"/tmp/a.png","room":"\#(room)"}}"#
            ),
            (
                .saveFile(room: id, number: 6, to: "/tmp/", replacing: false),
                #"{"saveFile":{"number":6,"replacing":false,"room":"\#(room)","to":"/tmp/"}}"#
            ),
            (.cancelTransfer(of: try MessageID(message)), #"{"cancelTransfer":{"of":"\#(message)"}}"#),
            (.lend, #"{"lend":{}}"#),
            (.giveBack, #"{"giveBack":{}}"#),
            (.requests(isFetching: true), #"{"requests":{"isFetching":true}}"#),
            (.request(named: "3"), #"{"request":{"named":"3"}}"#),
            (
                .acceptRequest(named: "carol", isJoining: true),
                #"{"acceptRequest":{"isJoining":true,"named":"carol"}}"#
            ),
            (.declineRequest(named: "3"), #"{"declineRequest":{"named":"3"}}"#),
            (.declineRequest(), #"{"declineRequest":{}}"#),
            (.block(named: "3"), #"{"block":{"named":"3"}}"#),
            (.unblock(handle: handle), #"{"unblock":{"handle":"carol"}}"#),
            (.refresh(seconds: 10), #"{"refresh":{"seconds":10}}"#),
            (.find(handle: handle), #"{"find":{"handle":"carol"}}"#),
            (.forget(room: id), #"{"forget":\#(inRoom)}"#),
            (
                .send(room: id, text: "soup", id: try MessageID(message)),
                #"{"send":{"id":"\#(message)","room":"\#(room)","text":"soup"}}"#
            ),
            (.reach(seconds: 60), #"{"reach":{"seconds":60}}"#),
            (.catchUp(room: id, seconds: 0), #"{"catchUp":{"room":"\#(room)","seconds":0}}"#),
            (.outbox(), #"{"outbox":{}}"#),
            (.outbox(beginning: "k7f3"), #"{"outbox":{"beginning":"k7f3"}}"#),
            (
                .unsentText(room: id, message: try MessageID(message)),
                #"{"unsentText":{"message":"\#(message)","room":"\#(room)"}}"#
            ),
            (
                .drop(room: id, message: try MessageID(message)),
                #"{"drop":{"message":"\#(message)","room":"\#(room)"}}"#
            ),
            (.addContact(handle: handle), #"{"addContact":{"handle":"carol"}}"#),
            (.addContactByLink(link: "mildam:a-b_c"), #"{"addContactByLink":{"link":"mildam:a-b_c"}}"#),
            (
                .acceptContact(handle: handle, fingerprint: "00001 00002"),
                #"{"acceptContact":{"fingerprint":"00001 00002","handle":"carol"}}"#
            ),
            (.makeLink(days: 7), #"{"makeLink":{"days":7}}"#),
            (.revokeLinks(), #"{"revokeLinks":{}}"#),
            (.revokeLinks(number: 3), #"{"revokeLinks":{"number":3}}"#),
            (.search(room: id, text: "soup"), #"{"search":{"room":"\#(room)","text":"soup"}}"#),
            (
                .search(room: id, text: "부엌", before: 7),
                #"{"search":{"before":7,"room":"\#(room)","text":"부엌"}}"#
            ),
        ]
    }

    private static let rowLine =
        #"{"epoch":4,"generation":1,"last":{"at":5,"author":"carol","text":"soup"},"members":2,"name":"kitchen","#
        + #""room":"\#(room)","standing":"member","unread":3,"warning":"newer"}"#
    private static let itemLine =
        #"{"at":5,"author":{"account":"\#(account)","handle":"carol","isOwn":false},"file":{"name":"a","size":9},"#
        + #""key":"\#(message)","kind":"file","number":6,"state":{"sending":{"done":1,"of":9}}}"#
    private static let statusLine =
        #"{"handle":"carol","invitations":1,"isConnected":false,"relay":"https://r","requests":2,"rooms":2,"#
        + #""skew":75,"stage":"ready","trouble":"unreachable","unread":3,"waiting":4}"#

    private static let olderRowLine =
        #"{"epoch":0,"generation":0,"goesOnAs":"\#(room)","members":3,"room":"\#(room)","standing":"older","unread":0}"#
    private static let olderItemLine =
        #"{"at":5,"hasNewKeys":true,"kind":"text","missing":2,"number":6,"room":"\#(room)","state":{"sent":{}}}"#
    private static let continuationLine =
        #"{"isNew":true,"missing":[{"code":"no-succession","handle":"dave"}],"rooms":[{"by":"carol","isOwn":false,"#
        + #""row":\#(olderRowLine)}]}"#

    private static func olderRow() throws -> RoomRow {
        RoomRow(
            room: try RoomID(room),
            standing: .older,
            members: 3,
            generation: 0,
            epoch: 0,
            unread: 0,
            goesOnAs: try RoomID(room)
        )
    }

    private static func olderItem() throws -> RoomItem {
        RoomItem(key: nil, number: 6, at: 5, kind: .text, missing: 2, hasNewKeys: true, room: try RoomID(room))
    }

    private static func continuation() throws -> RoomContinuation {
        RoomContinuation(
            isNew: true,
            rooms: [RoomContinuation.Successor(row: try olderRow(), by: try Handle("carol"), isOwn: false)],
            missing: [RoomContinuation.Missing(handle: try Handle("dave"), code: "no-succession")]
        )
    }

    private static func row() throws -> RoomRow {
        RoomRow(
            room: try RoomID(room),
            name: "kitchen",
            standing: .member,
            members: 2,
            generation: 1,
            epoch: 4,
            last: RoomRow.Last(at: 5, author: try Handle("carol"), text: "soup"),
            unread: 3,
            warning: "newer"
        )
    }

    private static let invitationLine =
        #"{"epoch":4,"generation":0,"invitedBy":"carol","members":2,"policy":{"describe":false,"invite":true,"#
        + #""remove":false},"room":"\#(room)","standing":"invited","unread":0}"#

    private static func invitation() throws -> RoomRow {
        RoomRow(
            room: try RoomID(room),
            standing: .invited,
            members: 2,
            generation: 0,
            epoch: 4,
            unread: 0,
            invitedBy: try Handle("carol"),
            policy: MemberPolicy(invite: true, remove: false, describe: false)
        )
    }

    private static func item() throws -> RoomItem {
        RoomItem(
            key: try MessageID(message),
            number: 6,
            at: 5,
            author: RoomItem.Person(account: try AccountID(account), handle: try Handle("carol"), isOwn: false),
            kind: .file,
            state: .sending(done: 1, of: 9),
            file: RoomItem.File(name: "a", size: 9)
        )
    }

    private static func status() throws -> ClientStatus {
        ClientStatus(
            handle: try Handle("carol"),
            relay: "https://r",
            isConnected: false,
            trouble: "unreachable",
            rooms: 2,
            unread: 3,
            invitations: 1,
            waiting: 4,
            stage: .ready,
            requests: 2,
            skew: 75
        )
    }

    private static func answers() throws -> [(ClientAnswer, String)] {
        let member = RoomMember(account: try AccountID(account), role: .owner, fingerprint: "12345", isSeated: true)
        let contact = FoundContact(
            handle: try Handle("carol"),
            account: try AccountID(account),
            fingerprint: "12345",
            isNew: true
        )
        return [
            (.rooms(rows: [try row()], hasMore: true), #"{"rooms":{"hasMore":true,"rows":[\#(rowLine)]}}"#),
            (
                .window(items: [try item()], hasBefore: true, hasAfter: false, firstUnread: 6, row: try row()),
                #"{"window":{"firstUnread":6,"hasAfter":false,"hasBefore":true,"items":[\#(itemLine)],"row":\#(rowLine)}}"#
            ),
            (.text(text: "all of it"), #"{"text":{"text":"all of it"}}"#),
            (.wished(id: try MessageID(message)), #"{"wished":{"id":"\#(message)"}}"#),
            (.outcome(wish: .done(number: 3)), #"{"outcome":{"wish":{"done":{"number":3}}}}"#),
            (.outcome(wish: .failed(code: "a-rule")), #"{"outcome":{"wish":{"failed":{"code":"a-rule"}}}}"#),
            (.outcome(wish: .waiting()), #"{"outcome":{"wish":{"waiting":{}}}}"#),
            (.outcome(wish: .unknown), #"{"outcome":{"wish":{"unknown":{}}}}"#),
            (.outcome(wish: .moving(done: 1, of: 9)), #"{"outcome":{"wish":{"moving":{"done":1,"of":9}}}}"#),
            (.room(row: try row()), #"{"room":{"row":\#(rowLine)}}"#),
            (
                .members(members: [member]),
                #"{"members":{"members":[{"account":"\#(account)","differs":false,"fingerprint":"12345","#
                    + #""isSeated":true,"role":"owner"}]}}"#
            ),
            (
                .verification(generation: 1, epoch: 4, digits: "00001 00002"),
                #"{"verification":{"digits":"00001 00002","epoch":4,"generation":1}}"#
            ),
            (.status(now: try status()), #"{"status":{"now":\#(statusLine)}}"#),
            (.subscribed(rev: 811), #"{"subscribed":{"rev":811}}"#),
            (.done, #"{"done":{}}"#),
            (
                .findings(
                    steps: [
                        ClientFinding(step: "disk", verdict: "wrong", found: "full", fault: "other", code: "disk-full")
                    ]
                ),
                #"{"findings":{"steps":[{"code":"disk-full","fault":"other","found":"full","step":"disk","verdict":"wrong"}]}}"#
            ),
            (
                .troubles(
                    rooms: [RoomTrouble(room: try RoomID(room), code: "newer", number: 3, remedy: "coming-back")],
                    of: 2
                ),
                #"{"troubles":{"of":2,"rooms":[{"code":"newer","number":3,"remedy":"coming-back","room":"\#(room)"}]}}"#
            ),
            (
                .keys(rooms: [RoomKeys(room: try RoomID(room), name: "kitchen", arePresent: false, code: "busy")]),
                #"{"keys":{"rooms":[{"arePresent":false,"code":"busy","name":"kitchen","room":"\#(room)"}]}}"#
            ),
            (.continued(as: try continuation()), #"{"continued":{"as":\#(continuationLine)}}"#),
            (
                .window(items: [try olderItem()], hasBefore: false, hasAfter: false, row: try olderRow()),
                #"{"window":{"hasAfter":false,"hasBefore":false,"items":[\#(olderItemLine)],"row":\#(olderRowLine)}}"#
            ),
            (
                .saving(id: try MessageID(message), path: "/tmp/a.png"),
                #"{"saving":{"id":"\#(message)","path":"/tmp/a.png"}}"#
            ),
            (
                .requests(
                    requests: [
                        WaitingRequest(
                            number: 3,
                            claimed: try Handle("carol"),
                            account: try AccountID(account),
                            room: try RoomID(room),
                            received: 5,
                            size: 400
                        )
                    ],
                    blocked: [BlockedRow(handle: try Handle("dave"), hasPinned: true, claims: 1)]
                ),
                #"{"requests":{"blocked":[{"claims":1,"handle":"dave","hasPinned":true}],"requests":[{"account":"\#(account)","#
                    + #""claimed":"carol","number":3,"received":5,"room":"\#(room)","size":400}]}}"#
            ),
            (
                .request(
                    facts: RequestFacts(
                        number: 3,
                        sender: try Handle("carol"),
                        fingerprint: "12345",
                        state: .seen,
                        room: try RoomID(room),
                        name: "kitchen",
                        members: 2,
                        received: 5
                    )
                ),
                #"{"request":{"facts":{"fingerprint":"12345","members":2,"name":"kitchen","number":3,"received":5,"#
                    + #""room":"\#(room)","sender":"carol","state":"seen"}}}"#
            ),
            (
                .accepted(
                    request: RequestAccepted(
                        room: try RoomID(room),
                        name: "kitchen",
                        sender: try Handle("carol"),
                        wish: try MessageID(message)
                    )
                ),
                #"{"accepted":{"request":{"members":[],"name":"kitchen","room":"\#(room)","sender":"carol","#
                    + #""wish":"\#(message)"}}}"#
            ),
            (.declined(count: 2), #"{"declined":{"count":2}}"#),
            (
                .blocked(row: BlockedRow(handle: try Handle("dave"), hasPinned: false, claims: 1)),
                #"{"blocked":{"row":{"claims":1,"handle":"dave","hasPinned":false}}}"#
            ),
            (.room(row: try invitation()), #"{"room":{"row":\#(invitationLine)}}"#),
            (
                .found(contact: contact),
                #"{"found":{"contact":{"account":"\#(account)","fingerprint":"12345","handle":"carol","isNew":true}}}"#
            ),
            (.caughtUp(isRead: true), #"{"caughtUp":{"isRead":true}}"#),
            (
                .caughtUp(isRead: false, fault: ClientError(.noSuchRoom, ["room": room])),
                #"{"caughtUp":{"fault":{"code":"no-such-room","parameters":{"room":"\#(room)"}},"isRead":false}}"#
            ),
            (
                .outbox(
                    waiting: [UnsentItem(room: try RoomID(room), name: "kitchen", item: try item(), isUnderWay: true)],
                    hasMore: false
                ),
                #"{"outbox":{"hasMore":false,"waiting":[{"isUnderWay":true,"item":\#(itemLine),"name":"kitchen","#
                    + #""room":"\#(room)"}]}}"#
            ),
            (
                .contact(row: ContactRow(handle: try Handle("carol"), fingerprint: "12345", isNew: true, state: .seen)),
                #"{"contact":{"row":{"fingerprint":"12345","handle":"carol","isNew":true,"state":"seen"}}}"#
            ),
            (
                .blocked(
                    row: BlockedRow(
                        handle: try Handle("dave"),
                        hasPinned: true,
                        claims: 0,
                        refused: [StandingRefusal(handle: try Handle("dave"), isBlock: true, reason: "full")]
                    )
                ),
                #"{"blocked":{"row":{"claims":0,"handle":"dave","hasPinned":true,"refused":[{"handle":"dave","#
                    + #""isBlock":true,"reason":"full"}]}}}"#
            ),
            (
                .link(text: "mildam:a-b_c", number: 3, expires: 86_400),
                #"{"link":{"expires":86400,"number":3,"text":"mildam:a-b_c"}}"#
            ),
            (.revoked(count: 2), #"{"revoked":{"count":2}}"#),
            (.matches(items: []), #"{"matches":{"items":[]}}"#),
            (
                .matches(items: [try item()], before: 3, at: 4),
                #"{"matches":{"at":4,"before":3,"items":[\#(itemLine)]}}"#
            ),
        ]
    }

    private static func changes() throws -> [(ClientChange, String)] {
        let id = try RoomID(room)
        return [
            (.room(row: try row()), #"{"room":{"row":\#(rowLine)}}"#),
            (.roomGone(room: id), #"{"roomGone":{"room":"\#(room)"}}"#),
            (
                .items(room: id, upsert: [try item()], gone: [try MessageID(message)]),
                #"{"items":{"gone":["\#(message)"],"room":"\#(room)","upsert":[\#(itemLine)]}}"#
            ),
            (.status(now: try status()), #"{"status":{"now":\#(statusLine)}}"#),
            (
                .wish(room: id, id: try MessageID(message), outcome: .failed(code: "dropped")),
                #"{"wish":{"id":"\#(message)","outcome":{"failed":{"code":"dropped"}},"room":"\#(room)"}}"#
            ),
            (
                .notice(room: id, code: "messages-missing", number: 2),
                #"{"notice":{"code":"messages-missing","number":2,"room":"\#(room)"}}"#
            ),
        ]
    }
}
