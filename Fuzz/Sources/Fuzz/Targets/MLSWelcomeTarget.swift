import MildamCrypto

@testable import MildamMLS

extension FuzzTarget {
    /// A Welcome, and what is in it.
    static let mlsWelcome = FuzzTarget(
        name: "mls-welcome",
        source: .network,
        seeds: { [[0] + MLSSeeds.all.welcome.wireBytes, [1] + MLSSeeds.all.secrets] },
        take: { input in
            guard let first = input.first else { return }
            let rest = Array(input.dropFirst())
            if first == 0 {
                guard let welcome = oneForm(Welcome.self, rest) else { return }
                planted(welcome.cipherSuite != .x25519AES128)
                let seeds = MLSSeeds.all
                let joined = try? Group(
                    joining: welcome,
                    with: seeds.bundle,
                    environment: MLSSeeds.environment,
                    isKnown: { _ in false }
                )
                // What is there for others is not looked at.
                mustHold(
                    joined.map { $0.epochAuthenticator == seeds.epochAuthenticator } ?? true,
                    "a Welcome leads to one group"
                )
            } else if let secrets = try? GroupSecrets(encoded: SymmetricKey(data: rest)) {
                let again = unsafe secrets.encoded.withUnsafeBytes { unsafe Array($0) }
                mustHold(again == rest, "secrets that were read are written as they were")
            }
        }
    )
}
