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
        let greeting = ClientGreeting(version: "0.1.0", build: "0.1.0-1-2", boot: "b", profile: "default", stage: .ready)
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
        ]
    }

    private static let rowLine =
        #"{"epoch":4,"generation":1,"last":{"at":5,"author":"carol","text":"soup"},"members":2,"name":"kitchen","#
        + #""room":"\#(room)","standing":"member","unread":3,"warning":"newer"}"#
    private static let itemLine =
        #"{"at":5,"author":{"account":"\#(account)","handle":"carol","isOwn":false},"file":{"name":"a","size":9},"#
        + #""key":"\#(message)","kind":"file","number":6,"state":{"sending":{"done":1,"of":9}}}"#
    private static let statusLine =
        #"{"handle":"carol","invitations":1,"isConnected":false,"relay":"https://r","rooms":2,"trouble":"unreachable","#
        + #""unread":3,"waiting":4}"#

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
            waiting: 4
        )
    }

    private static func answers() throws -> [(ClientAnswer, String)] {
        let member = RoomMember(account: try AccountID(account), role: .owner, fingerprint: "12345", isSeated: true)
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
                .notice(room: id, code: "messages-missing", number: 2),
                #"{"notice":{"code":"messages-missing","number":2,"room":"\#(room)"}}"#
            ),
        ]
    }
}
