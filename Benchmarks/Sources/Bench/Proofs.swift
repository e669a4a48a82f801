import MildamCrypto
import MildamJOSE

/// What it costs a relay to believe a request: its access token and its proof of possession, beside the two signatures alone.
enum Proofs {
    private static let rounds = 5
    private static let url = "https://relay.example/v1/rooms"
    private static let now: Int64 = 1_800_000_000

    static func figures() async throws -> [Figure] {
        let (relayKey, deviceKey) = (Curve25519.Signing.PrivateKey(), P256.Signing.PrivateKey())
        let token = try AccessToken(relay: "relay", account: "account", device: "device", session: "session", at: now)
            .signed(keyID: "key", by: relayKey)
        let proofs = try (0..<2000).map { number in
            let draft = try DPoPDraft(
                method: "GET",
                url: url,
                accessToken: token,
                identifier: "proof-\(number)",
                at: now,
                key: JSONWebKey(deviceKey.publicKey)
            )
            return Array(draft.signed(try deviceKey.signature(for: draft.digest)).utf8)
        }
        var (next, memory) = (0, ProofMemory())
        let nonces = DPoPNonces(key: SymmetricKey(size: .bits256))
        let request = DPoPProof.Request(
            method: "GET",
            path: "/v1/rooms",
            origins: .these(["https://relay.example"]),
            accessToken: token
        )
        func believe(_ known: JSONWebKey?) throws {
            if next == proofs.count { (next, memory) = (0, ProofMemory()) }
            let bytes = proofs[next]
            let proof = try DPoPProof(verifying: bytes.span, knowing: known)
            next += 1
            try proof.check(request, at: now, nonces: nonces)
            try memory.take(proof, at: 0)
        }

        let message = Array(token.utf8)
        let (first, second) = (relayKey.signature(for: message), try deviceKey.signature(for: message))
        let (relayPublic, devicePublic) = (relayKey.publicKey, deviceKey.publicKey)
        let known = JSONWebKey(devicePublic)
        let medians = try await alternating(
            rounds,
            [
                {
                    try cost {
                        guard relayPublic.isValidSignature(first, for: message),
                            devicePublic.isValidSignature(second, for: message)
                        else { throw BenchError("a signature does not verify") }
                    }
                },
                {
                    try cost {
                        _ = try AccessToken(verifying: token, relay: "relay", at: now) { _ in relayPublic }
                        try believe(nil)
                    }
                },
                { try cost { try believe(known) } },
                {
                    try cost {
                        let draft = try DPoPDraft(
                            method: "GET",
                            url: url,
                            accessToken: token,
                            identifier: "one",
                            at: now,
                            key: known
                        )
                        _ = draft.signed(try deviceKey.signature(for: draft.digest))
                    }
                },
            ]
        )
        func rate(_ nanoseconds: Double) -> Double { 1_000_000_000 / nanoseconds }
        return [
            Figure(
                what: "access token and DPoP proof, both new",
                value: rate(medians[1]),
                unit: .perSecond,
                peer: ("the two signatures alone", rate(medians[0])),
                goal: .ratio(atLeast: 0.7),
                note: "one core"
            ),
            Figure(
                what: "DPoP proof with a token that is known",
                value: rate(medians[2]),
                unit: .perSecond,
                goal: .rate(atLeast: 7000),
                note: "one core"
            ),
            Figure(what: "making a DPoP proof", value: medians[3], unit: .microseconds),
        ]
    }
}
