import MildamIdentity
import Testing

@testable import MildamClientAPI

@Suite("Lines between a client and its windows")
struct ClientLineTests {
    @Test func eachFrameIsOneLineAndBack() throws {
        let frames = try Frames.all()
        #expect(frames.count > 40)
        for (frame, line) in frames {
            let written = try ClientLine.bytes(of: frame)
            #expect(String(decoding: written, as: UTF8.self) == line + "\n")
            #expect(try ClientLine.frame(Array(line.utf8)) == frame)
        }
    }

    @Test func cutAtEveryByteItIsRefused() throws {
        for (_, line) in try Frames.all() {
            let bytes = Array(line.utf8)
            for end in bytes.indices {
                #expect(throws: ClientLineDefect.self) { try ClientLine.frame(Array(bytes[..<end])) }
            }
        }
    }

    /// What is still read says something else, or the same in another form; it never becomes what does not come back.
    @Test func withOneBitFlippedItIsRefusedOrComesBack() throws {
        for (_, line) in try Frames.all() {
            let bytes = Array(line.utf8)
            for place in bytes.indices {
                for bit in [place % 8, (place + 3) % 8] {
                    var flipped = bytes
                    flipped[place] ^= 1 << bit
                    guard let frame = try? ClientLine.frame(flipped) else { continue }
                    let written = try ClientLine.bytes(of: frame)
                    #expect(try ClientLine.frame(Array(written.dropLast())) == frame)
                }
            }
        }
    }

    @Test(arguments: [
        (#"{"id":7,"ask":{"leave":{"room":"irceirceirceirceirceirceiq","also":1}}}"#, "ask.leave.also"),
        (#"{"id":7,"ask":{"status":{"now":true}}}"#, "ask.status.now"),
        (#"{"id":7,"ask":{"status":{}},"more":[]}"#, "more"),
        (#"{"resync":[]}"#, "resync"),
    ])
    func aFieldThatMeansNothingIsRefused(_ line: String, _ field: String) {
        #expect(throws: ClientLineDefect.unknownField(field)) { try ClientLine.frame(Array(line.utf8)) }
    }

    @Test(arguments: [
        #"{"id":7}"#, #"{"ask":{"status":{}}}"#, #"{"id":-1,"ask":{"status":{}}}"#, #"{"id":7,"ask":{}}"#,
        #"{"id":7,"ask":{"status":{},"stop":{}}}"#, #"{"id":7,"ask":{"unlock":{}}}"#,
        #"{"id":7,"ask":{"accept":{"room":"short"}}}"#, #"{"id":7,"ask":{"send":{"room":7,"text":"a"}}}"#,
        #"{"id":18446744073709551616,"ask":{"status":{}}}"#, #"{"rev":1,"changes":[],"id":7,"ok":{"done":{}}}"#,
    ])
    func whatIsNoFrameIsUnknown(_ line: String) {
        #expect(throws: ClientLineDefect.unknown) { try ClientLine.frame(Array(line.utf8)) }
    }

    @Test(arguments: ["", "{", "[]", "7", "null", #"{"a":1,"a":2}"#, "{\"a\":\"\u{1}\"}", #"{"a":"\ud800"}"#])
    func whatIsNoObjectIsMalformed(_ line: String) {
        #expect(throws: ClientLineDefect.malformed) { try ClientLine.frame(Array(line.utf8)) }
    }

    // MARK: Limits

    @Test func aMillionNestedArraysAreRefusedBeforeTheyAreKept() {
        let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
        #expect(throws: ClientLineDefect.tooDeep) { try ClientLine.frame(deep) }
    }

    @Test func manyValuesAreRefusedBeforeTheyAreKept() {
        let many = "[" + String(repeating: "0,", count: LineLimits.values) + "0]"
        #expect(throws: ClientLineDefect.tooManyValues) { try ClientLine.frame(Array(many.utf8)) }
        // In a string, they are none.
        #expect(throws: ClientLineDefect.malformed) { try ClientLine.frame(Array("\"\(many)\"".utf8)) }
    }

    @Test func aLineOfMoreThanAMebibyteIsRefused() {
        let long = [UInt8](repeating: UInt8(ascii: " "), count: LineLimits.line + 1)
        #expect(throws: ClientLineDefect.tooLong) { try ClientLine.frame(long) }
        #expect(throws: ClientLineDefect.malformed) { try ClientLine.frame(Array(long.dropLast())) }
    }

    @Test func textsAndCountsAreWithinTheirLimits() throws {
        let room = try RoomID(Frames.room)
        func line(_ ask: ClientAsk) throws -> [UInt8] { try ClientLine.bytes(of: .ask(id: 1, ask)) }
        let longest = String(repeating: "a", count: LineLimits.text)
        #expect(try line(.send(room: room, text: longest)).count > LineLimits.text)
        #expect(throws: ClientLineDefect.outOfRange("text")) { try line(.send(room: room, text: longest + "a")) }
        #expect(throws: ClientLineDefect.outOfRange("text")) { try line(.send(room: room, text: "")) }
        #expect(throws: ClientLineDefect.outOfRange("name")) { try line(.createRoom(name: "")) }
        #expect(throws: ClientLineDefect.outOfRange("before")) {
            try line(.openRoom(room: room, at: .end, before: 101, after: 100))
        }
        #expect(throws: ClientLineDefect.outOfRange("before")) {
            try line(.openRoom(room: room, at: .end, before: .max, after: .max))
        }
        #expect(throws: ClientLineDefect.outOfRange("path")) { try line(.sendFile(room: room, path: "")) }
        let longPath = "/" + String(repeating: "a", count: LineLimits.path)
        #expect(throws: ClientLineDefect.outOfRange("path")) { try line(.sendFile(room: room, path: longPath)) }
        #expect(throws: ClientLineDefect.outOfRange("to")) {
            try line(.saveFile(room: room, number: 1, to: longPath, replacing: true))
        }
        #expect(throws: ClientLineDefect.outOfRange("seconds")) {
            try line(.outcome(of: try MessageID(Frames.message), seconds: 61))
        }
        for days in [0, 366] as [Int64] {
            #expect(throws: ClientLineDefect.outOfRange("days")) { try line(.makeLink(days: days)) }
        }
        let longLink = String(repeating: "a", count: LineLimits.link + 1)
        #expect(throws: ClientLineDefect.outOfRange("link")) { try line(.addContactByLink(link: longLink)) }
        #expect(throws: ClientLineDefect.outOfRange("beginning")) { try line(.outbox(beginning: "")) }
        #expect(throws: ClientLineDefect.outOfRange("text")) { try line(.search(room: room, text: "")) }
        let sought = String(repeating: "밀", count: LineLimits.soughtText / 3)
        #expect(try line(.search(room: room, text: sought + "a")).count > LineLimits.soughtText)
        #expect(throws: ClientLineDefect.outOfRange("text")) { try line(.search(room: room, text: sought + "ab")) }
        // Escaped, the longest text still fits into a line.
        let worst = String(repeating: "\u{1}", count: LineLimits.text)
        #expect(try line(.send(room: room, text: worst)).count <= LineLimits.line)
    }

    @Test func theNumberOfAWrongLineIsFound() {
        #expect(ClientLine.number(of: Array(#"{"id":9,"ask":{"what":{}}}"#.utf8)) == 9)
        #expect(ClientLine.number(of: Array(#"{"id":-9}"#.utf8)) == nil)
        #expect(ClientLine.number(of: Array(#"{"id":9"#.utf8)) == nil)
    }
}
