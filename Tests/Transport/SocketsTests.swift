import Glibc
import MildamSystem
import Testing

@testable import MildamTransport
@testable import TransportSupport

@Suite("Sockets")
struct SocketsTests {
    @Test(
        arguments: [
            ("192.0.2.77", "192.0.2.0/24"), ("127.0.0.1", "127.0.0.0/24"), ("::ffff:192.0.2.77", "192.0.2.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"), ("::1", "::/48"),
            ("ffff:ffff:ffff:ffff::", "ffff:ffff:ffff::/48"),
        ]
    )
    func networksAreWrittenAsPeopleDo(_ address: String, _ network: String) throws {
        #expect(try #require(SocketAddress(ip: address, port: 1)).networkText == network)
    }

    private func value(_ option: Int32, of number: Int32) -> Int32 {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        unsafe getsockopt(number, Int32(IPPROTO_TCP), option, &value, &length)
        return value
    }

    @Test("What is accepted sends at once, and keeps little of what cannot be sent")
    func options() throws {
        let listener = try Sockets.listen(on: .loopback(port: 0))
        // Once it is connected, it waits to be accepted.
        let client = try RawConnection(to: Sockets.localAddress(of: listener.number))
        defer { client.finishSending() }
        let accepted = try Sockets.accept(on: listener.number)
        #expect(value(TCP_NODELAY, of: accepted.socket.number) == 1)
        #expect(value(TCP_NOTSENT_LOWAT, of: accepted.socket.number) == 128 * 1024)
    }
}
