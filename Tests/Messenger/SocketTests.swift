import Foundation
import MildamCrypto
import MildamIdentity
import MildamProfile
import MildamRelay
import MildamRelayAPI
import MildamSystem
import MildamTransport
import TestSupport
import Testing

@testable import MildamMessenger

@Suite("The socket of a client")
struct SocketTests {
    @Test("a clock that is wrong is mended by the relay's nonce, when it opens and when it is renewed")
    func wrongClock() async throws {
        let folder = try TemporaryFolder()
        let relay = try RelayServer(
            RelayConfiguration(dataFolder: folder.file("data"), address: .loopback(port: 0))
        )
        let profile = OpenProfile(folder: folder.file("alice"))
        let password = Password(copying: Array("a long password".utf8).span)
        let handle = try Handle("alice")
        _ = try await Messenger(profile: profile).createAccount(handle, at: relay.url, password: password)
        let clock = WallClock { WallClock.system.milliseconds - 3_600_000 }
        let late = Messenger(profile: profile, clock: clock)
        let (socket, _) = try await late.openSocket()
        _ = try await late.renew(socket)
        var messages = socket.messages.makeAsyncIterator()
        guard case .text? = await messages.next() else { throw CancellationError() }
        guard case .text(let text)? = await messages.next() else { throw CancellationError() }
        guard case .renewed = try JSONDecoder().decode(LiveEvent.self, from: Data(text.utf8)) else {
            Issue.record("\(text)")
            return
        }
        socket.close()
        await relay.stop()
    }

    @Test("a socket is renewed while between a third and a quarter of its token's life is left")
    func untilRenewal() throws {
        let (now, lifetime) = (1_700_000_000 as Int64, 300 as Int64)
        let token = RefreshToken(session: .random(), secret: [UInt8](repeating: 1, count: 32))
        let answer = TokenAnswer(accessToken: "a", isBound: true, expiresIn: lifetime, refreshToken: token)
        let session = try SessionState(answer, at: now)
        var waits: Set<Duration> = []
        for _ in 0..<100 {
            let wait = session.untilRenewal(at: now * 1000)
            #expect((.seconds(200)...Duration.seconds(225)).contains(wait))
            waits.insert(wait)
        }
        #expect(waits.count > 1)
        // Late, or never told how long: not at once, again and again.
        #expect(session.untilRenewal(at: (now + lifetime) * 1000) == .seconds(1))
        for lifetime in [.min, -1, 0] as [Int64] {
            let odd = TokenAnswer(accessToken: "a", isBound: true, expiresIn: lifetime, refreshToken: token)
            #expect(try SessionState(odd, at: now).untilRenewal(at: now * 1000) == .seconds(1))
        }
        let long = TokenAnswer(accessToken: "a", isBound: true, expiresIn: .max, refreshToken: token)
        #expect(try SessionState(long, at: now).untilRenewal(at: now * 1000) < .seconds(3600))
    }
}
