import MildamIdentity
import MildamTransport

/// Who pays for work with their turn.
enum Payer: Hashable, Sendable {
    /// The relay itself, and whoever runs it.
    case relay
    case account(AccountID)
    /// A network, by the number of its first address; before there is an account.
    case network(UInt64)

    /// The network of an address: who has many addresses has them side by side.
    init(_ address: SocketAddress) {
        self = .network(address.network)
    }
}
