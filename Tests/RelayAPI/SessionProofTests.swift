import MildamIdentity
import MildamWire
import Testing

@testable import MildamRelayAPI

@Suite("protocol.md, Login and sessions: what a device signs")
struct SessionProofTests {
    private func proof(
        _ purpose: SessionProof.Purpose = .login,
        relay: String = Shape.relay,
        device: String = Shape.device,
        time: Int64 = 1_700_000_000,
        secret: String = "secret",
        thumbprint: String = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"
    ) throws -> [UInt8] {
        SessionProof(
            purpose,
            relay: try RelayID(relay),
            device: try DeviceID(device),
            time: time,
            presenting: Array(secret.utf8),
            boundTo: thumbprint
        ).signedBytes
    }

    /// python3: `label + relay + device + pack(">Q", 1700000000) + sha256(b"secret").digest() + b"\x2b" + thumbprint`.
    @Test func pinned() throws {
        let rest =
            String(repeating: "11", count: 16) + String(repeating: "33", count: 16) + "000000006553f100"
            + "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
        let text = Hex.encode(try proof(.login))
        let label = Hex.encode([0x1c] + Array("mildam/1 session login proof".utf8))
        #expect(text.hasPrefix(label + rest))
        #expect(text.hasSuffix(Hex.encode([43] + Array("0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I".utf8))))
        #expect(text.count == label.count + 144 + 2 * 44)
        #expect(Hex.encode(try proof(thumbprint: "")) == label + rest + "00")
    }

    @Test func everyPartCounts() throws {
        let others = [
            try proof(), try proof(.register), try proof(.refresh), try proof(relay: Shape.account),
            try proof(device: Shape.account), try proof(time: 1_700_000_001), try proof(time: -1),
            try proof(secret: "secreT"), try proof(thumbprint: ""),
            try proof(thumbprint: "1ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"),
        ]
        #expect(Set(others).count == others.count)
    }
}
