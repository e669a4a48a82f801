import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamSystem
import MildamTransport
import MildamWire
import Testing

@testable import MildamRelay

@Suite("Token buckets")
struct TokenBucketTests {
    private static let second: UInt64 = 1_000_000_000

    @Test("a full one gives its burst at once, and then as fast as it fills")
    func fills() {
        let rate = TokenBucket.Rate(burst: 5, perMinute: 60)
        var bucket = TokenBucket()
        var now: UInt64 = 1_000 * Self.second
        #expect(bucket.isFull(at: now))
        for _ in 0..<5 { #expect(bucket.take(from: rate, at: now) == nil) }
        #expect(bucket.take(from: rate, at: now) == Self.second)
        #expect(bucket.take(from: rate, at: now + Self.second / 4) == Self.second * 3 / 4)
        now += Self.second
        #expect(bucket.take(from: rate, at: now) == nil)
        #expect(bucket.take(from: rate, at: now) == Self.second)
        #expect(!bucket.isFull(at: now + 4 * Self.second))
        #expect(bucket.isFull(at: now + 5 * Self.second))
        now += 1_000_000 * Self.second
        for _ in 0..<5 { #expect(bucket.take(from: rate, at: now) == nil) }
        #expect(bucket.take(from: rate, at: now) != nil)
    }

    @Test("a cost is taken whole or not at all, and one beyond the burst takes a full bucket")
    func costs() {
        let rate = TokenBucket.Rate(aDay: 86_400, atOnce: 3_600)
        var bucket = TokenBucket()
        let now: UInt64 = 10_000 * Self.second
        #expect(bucket.take(3_000, from: rate, at: now) == nil)
        #expect(bucket.take(601, from: rate, at: now) == Self.second)
        #expect(bucket.take(600, from: rate, at: now) == nil)
        #expect(bucket.take(1, from: rate, at: now) == Self.second)
        #expect(bucket.take(.max, from: rate, at: now + 3_599 * Self.second) == Self.second)
        #expect(bucket.take(.max, from: rate, at: now + 3_600 * Self.second) == nil)
        #expect(bucket.take(from: rate, at: now + 3_600 * Self.second) == Self.second)
    }

    @Test("an operator may allow more bytes of messages, or fewer, and nothing else changes")
    func messageBytes() throws {
        let limiter = RateLimiter(messageBytes: 5_000) { 1 }
        let account = RateLimiter.Subject.account(.random())
        try limiter.admit(.messageBytes, account, cost: 5_000)
        let error = #expect(throws: APIError.self) { try limiter.admit(.messageBytes, account, cost: 4) }
        #expect(error?.number == 70)
        for _ in 0..<RateRule.message.rate.burst { try limiter.admit(.message, account) }
        #expect(throws: APIError.self) { try limiter.admit(.message, account) }
    }

    @Test("an operator may allow more messages a day, of which no more at once")
    func messages() throws {
        let now = Lock<UInt64>(1)
        let limiter = RateLimiter(messages: 86_400) { now.withLock { $0 } }
        let account = RateLimiter.Subject.account(.random())
        for _ in 0..<1_000 { try limiter.admit(.message, account) }
        #expect(throws: APIError.self) { try limiter.admit(.message, account) }
        now.withLock { $0 += Self.second }
        try limiter.admit(.message, account)
    }

    @Test("each rule has a bucket for each address and account, and says whether it fails open")
    func rules() throws {
        for rule in RateRule.allCases {
            let limiter = RateLimiter { 1 }
            let (one, other) = (RateLimiter.Subject.address(1), RateLimiter.Subject.account(.random()))
            try limiter.admit(rule, one, cost: Int(rule.rate.burst) - 1)
            try limiter.admit(rule, one)
            #expect(throws: APIError.self) { try limiter.admit(rule, one) }
            try limiter.admit(rule, other)
            for another in RateRule.allCases where another != rule { try limiter.admit(another, one) }
        }
    }

    @Test("the seconds to wait are enough")
    func seconds() throws {
        let now = Lock<UInt64>(1)
        let limiter = RateLimiter { now.withLock { $0 } }
        for _ in 0..<RateRule.registration.rate.burst { try limiter.admit(.registration, .address(1)) }
        let error = #expect(throws: APIError.self) { try limiter.admit(.registration, .address(1)) }
        #expect(error?.code == .rateLimited)
        let seconds = try #require(error?.number)
        #expect(seconds == 60)
        now.withLock { $0 += (seconds - 1) * Self.second }
        #expect(throws: APIError.self) { try limiter.admit(.registration, .address(1)) }
        now.withLock { $0 += Self.second }
        try limiter.admit(.registration, .address(1))
    }

    @Test("memory is bounded: once all buckets are in use, a rule does what it says", arguments: RateRule.allCases)
    func bounded(_ rule: RateRule) throws {
        let now = Lock<UInt64>(2 * Self.second)
        let limiter = RateLimiter { now.withLock { $0 } }
        // Of a network each.
        for number in 0..<RateLimiter.maximumBuckets { try limiter.admit(rule, .address(UInt64(number) << 16)) }
        let isAdmitted = (try? limiter.admit(rule, .address(.max))) != nil
        #expect(isAdmitted == (rule.failure == .open))
        // Whoever has a bucket keeps it.
        try limiter.admit(rule, .address(7 << 16))
        // Those that are full again make room.
        now.withLock { $0 += 3600 * Self.second }
        try limiter.admit(rule, .address(.max))
        try limiter.admit(rule, .address(.max), cost: Int(rule.rate.burst) - 1)
        #expect(throws: APIError.self) { try limiter.admit(rule, .address(.max)) }
    }

    @Test("a network does not keep all buckets in use: its addresses share one then", arguments: RateRule.allCases)
    func crowds(_ rule: RateRule) throws {
        let now = Lock<UInt64>(2 * Self.second)
        let limiter = RateLimiter { now.withLock { $0 } }
        let (many, burst) = (RateLimiter.maximumBuckets - RateLimiter.bucketsOfNetwork, Int(rule.rate.burst))
        for number in 0..<many { try limiter.admit(rule, .address(UInt64(number)), cost: burst) }
        // Another has as many as are borne, each with something left.
        let others = (0..<RateLimiter.bucketsOfNetwork).map { RateLimiter.Subject.address(1 << 32 | UInt64($0)) }
        for other in others { try limiter.admit(rule, other) }
        try limiter.admit(rule, .address(.max))
        // Who is of the first network waits for it, whether known before or not; nobody else does.
        for number in [0, 1, many] {
            #expect(throws: APIError.self) { try limiter.admit(rule, .address(UInt64(number))) }
        }
        for other in others { try limiter.admit(rule, other) }
        // Each has its own again once the network's is full.
        now.withLock { $0 += rule.rate.burst * rule.rate.interval }
        for number in [0, 1, many] { try limiter.admit(rule, .address(UInt64(number)), cost: burst) }
    }

    @Test("one customer is one address")
    func subjects() throws {
        func subject(_ text: String) throws -> RateLimiter.Subject {
            RateLimiter.Subject(try #require(SocketAddress(ip: text, port: 1)))
        }
        #expect(try subject("192.0.2.1") != subject("192.0.2.2"))
        #expect(try subject("192.0.2.1") == subject("::ffff:192.0.2.1"))
        #expect(try subject("2001:db8:1:2::1") == subject("2001:db8:1:2:ffff::9"))
        #expect(try subject("2001:db8:1:2::1") != subject("2001:db8:1:3::1"))
    }

    @Test("only the proxy's own word counts, and only where there is a proxy")
    func addresses() throws {
        func address(_ peer: String, _ forwarded: [String], behindProxy: Bool = true) throws -> String {
            var fields = HTTPFields()
            for value in forwarded { fields.append("X-Forwarded-For", value) }
            let request = HTTPRequest(
                method: .get,
                target: try #require(HTTPTarget("/v1/relay")),
                fields: fields,
                peer: try #require(SocketAddress(ip: peer, port: 1))
            )
            return ClientAddress.of(request, behindProxy: behindProxy).ipText
        }
        #expect(try address("127.0.0.1", ["192.0.2.7"]) == "192.0.2.7")
        #expect(try address("127.0.0.1", ["10.0.0.1, 192.0.2.7"]) == "192.0.2.7")
        #expect(try address("127.0.0.1", ["10.0.0.1", "192.0.2.7"]) == "192.0.2.7")
        #expect(try address("::1", ["2001:db8::1"]) == "2001:db8::1")
        #expect(try address("127.0.0.1", ["192.0.2.7"], behindProxy: false) == "127.0.0.1")
        #expect(try address("198.51.100.1", ["192.0.2.7"]) == "198.51.100.1")
        for nonsense in [[], [""], ["unknown"], ["192.0.2.7:80"], ["192.0.2.7,"]] {
            #expect(try address("127.0.0.1", nonsense) == "127.0.0.1")
        }
    }
}

@Suite("Rate limits over HTTP")
struct RateLimitTests {
    @Test("one address opens so many connections; those of a proxy are the proxy's affair", arguments: [false, true])
    func connections(_ behindProxy: Bool) async throws {
        let relay = try TestRelay { $0.behindProxy = behindProxy }
        let (loopback, stranger) = (
            SocketAddress.loopback(port: 1), try #require(SocketAddress(ip: "192.0.2.1", port: 1))
        )
        #expect(try await relay.ask(.get, "/live").status == 200)
        let gate = relay.server.parts.gate
        // As many again: what comes back meanwhile is not many.
        let burst = Int(RateRule.connection.rate.burst)
        for peer in [stranger, loopback] {
            let isProxy = behindProxy && peer == loopback
            let admitted = (0..<2 * burst).count { _ in gate.admits(peer) }
            #expect(isProxy ? admitted == 2 * burst : admitted >= burst - 1 && admitted < 2 * burst)
        }
        // Over a socket: who may not connect is hung up on, but keeps what is open. One in so many may be let in.
        var refused = 0
        for _ in 0..<5 {
            while !behindProxy, gate.admits(loopback) {}
            let another = try HTTPClient(Endpoint(relay.server.address))
            let answer = try? await another.send(HTTPClientRequest(.get, try #require(HTTPTarget("/live"))))
            if answer?.status != 200 { refused += 1 }
        }
        #expect(behindProxy ? refused == 0 : refused > 0)
        #expect(try await relay.ask(.get, "/live").status == 200)
        await relay.server.stop()
    }

    @Test("a refusal is held back")
    func heldBack() async throws {
        let relay = try TestRelay(connections: 1)
        for _ in 0..<RateRule.registration.rate.burst {
            #expect(try await relay.ask(.post, Routes.register.path, body: [0]).status == 400)
        }
        let start = ContinuousClock.now
        for _ in 0..<3 { #expect(try await relay.ask(.post, Routes.register.path, body: [0]).status == 429) }
        #expect(ContinuousClock.now - start >= .milliseconds(600))
        await relay.server.stop()
    }

    @Test("an account that floods is held back, with the seconds to wait, and nobody else is")
    func flood() async throws {
        // The clock stands still: a slow machine would send no faster than the limit allows.
        let relay = try TestRelay { $0.rateClock = { 1 << 60 } }
        let alice = try await GroupMember("alice", on: relay)
        let bob = try await GroupMember("bob", on: relay)
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        var refusal: HTTPResponse?
        for _ in 0...RateRule.message.rate.burst where refusal == nil {
            let answer = try await alice.say("again", in: &group, room, epoch: 1)
            if answer.status != 201 { refusal = answer }
        }
        let answer = try #require(refusal)
        #expect(answer.status == 429 && answer.apiError?.code == .rateLimited)
        #expect(answer.fields["Retry-After"] == "6")
        // The relay cannot look into it.
        let words = try group.protect(Array("still here".utf8)).wireBytes
        #expect(try await bob.send(.application(words), to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }

    @Test("an account's messages are bounded in bytes: a long one waits where a short one still goes")
    func bytesOfMessages() async throws {
        let now = Lock<UInt64>(1 << 60)
        let relay = try TestRelay {
            $0.rateClock = { now.withLock { $0 } }
            $0.messageBytes = 5_000
        }
        let alice = try await Person("alice", on: relay)
        let room = try await alice.makeRoom()
        let long = String(repeating: "x", count: 3_000)
        #expect(try await alice.say(long, in: room).status == 201)
        let answer = try await alice.say(long, in: room)
        #expect(answer.status == 429 && answer.apiError?.code == .rateLimited)
        #expect(try await alice.say("short", in: room).status == 201)
        // Nothing of the refused one was counted, and its turn comes.
        now.withLock { $0 += 86_400_000_000_000 }
        #expect(try await alice.say(long, in: room).status == 201)
        #expect(try await alice.state(of: room.id).next == 4)
        await relay.server.stop()
    }

    @Test("accounts are not made without end from one address")
    func registrations() async throws {
        let relay = try TestRelay()
        for number in 0..<RateRule.registration.rate.burst { _ = try await Person("person\(number)", on: relay) }
        let request = try Person.registration("another", relay: relay.server.relay)
        #expect(try await relay.ask(Routes.register.at(), request.body).status == 429)
        await relay.server.stop()
    }

    @Test("behind a proxy each client has its own buckets; a relay without limits has none")
    func behindProxy() async throws {
        let relay = try TestRelay { $0.behindProxy = true }
        let free = try TestRelay { $0.limitsRates = false }
        func status(_ relay: TestRelay, from address: String) async throws -> Int {
            try await relay.ask(.get, "/v1/login/alice", fields: ["X-Forwarded-For": address]).status
        }
        var statuses: [Int] = []
        for _ in 0..<RateRule.login.rate.burst * 2 where statuses.last != 429 {
            statuses.append(try await status(relay, from: "192.0.2.1"))
            #expect(try await status(free, from: "192.0.2.1") == 200)
        }
        #expect(statuses.last == 429 && statuses.count > RateRule.login.rate.burst)
        #expect(statuses.dropLast().allSatisfy { $0 == 200 })
        #expect(try await status(relay, from: "192.0.2.2") == 200)
        await relay.server.stop()
        await free.server.stop()
    }
}
