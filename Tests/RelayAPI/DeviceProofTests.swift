import MildamIdentity
import MildamWire
import Testing

@testable import MildamRelayAPI

@Suite("protocol.md, Requests: what a device signs to change its account")
struct DeviceProofTests {
    private func proof(
        _ purpose: DeviceProof.Purpose = .renewal,
        relay: String = Shape.relay,
        device: String = Shape.device,
        time: Int64 = 1_700_000_000,
        secret: String = "secret"
    ) throws -> [UInt8] {
        DeviceProof(
            purpose,
            relay: try RelayID(relay),
            device: try DeviceID(device),
            time: time,
            presenting: Array(secret.utf8)
        ).signedBytes
    }

    /// python3: `label + relay + device + pack(">Q", 1700000000) + sha256(b"secret").digest()`.
    @Test func pinned() throws {
        let rest =
            String(repeating: "11", count: 16) + String(repeating: "33", count: 16) + "000000006553f100"
            + "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
        #expect(Hex.encode(try proof(.renewal)) == "166d696c64616d2f312072656e6577616c2070726f6f66" + rest)
    }

    @Test func everyPartCounts() throws {
        let others = [
            try proof(.password), try proof(.deletion), try proof(.secondFactor), try proof(.secondFactorRemoval),
            try proof(relay: Shape.account),
            try proof(device: Shape.account),
            try proof(time: 1_700_000_001), try proof(time: -1), try proof(secret: "secreT"), try proof(),
        ]
        #expect(Set(others).count == others.count)
    }
}
