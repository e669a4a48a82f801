import MildamJOSE
import MildamSystem

/// Under which addresses people reach a relay: those that it was told, otherwise where it listens.
final class PublicAddress: Sendable {
    private let told: [ProofURL]
    private let listening = Lock("")

    /// - Parameter told: `https://relay.example`, without a path.
    init(told: [String]) throws(RelayError) {
        var urls: [ProofURL] = []
        for text in told {
            guard let url = ProofURL(text), url.path == "/" else { throw .publicURL(text) }
            urls.append(url)
        }
        self.told = urls
    }

    /// It listens here.
    func begin(at url: String) { listening.withLock { $0 = url } }

    /// The address that it calls itself by.
    var issuer: String { told.first?.origin ?? listening.withLock { $0 } }

    /// Whether it was told of no address that others than its own machine could reach.
    var isLocal: Bool { told.allSatisfy { ProofOrigins.loopback.contains($0) } }

    /// What proofs may be for. A relay that was told nothing takes those that never left its machine.
    var origins: ProofOrigins { told.isEmpty ? .loopback : .these(Set(told.map(\.origin))) }
}
