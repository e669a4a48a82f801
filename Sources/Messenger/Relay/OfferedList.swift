import MildamIdentity
import MildamRelayAPI

/// A new list of the account's devices, as the relay is asked to take it.
struct OfferedList: Sendable {
    let request: RenewDeviceRequest
    let handle: Handle
    /// The number of the list that this device knows the relay to have.
    let known: UInt64
}

extension RelayClient {
    /// Takes a new list; it answers alike however often.
    func take(_ offered: OfferedList, _ access: RelayAccess) async throws(MessengerError) {
        do throws(MessengerError) {
            try await renewDevice(offered.request, of: offered.handle, access)
        } catch {
            guard case .refused(let refusal) = error, refusal.code == .staleList else { throw error }
            let present = refusal.number ?? 0
            guard present >= offered.known else {
                throw .relayIsBehind(.deviceList(offered.handle, last: present, seen: offered.known))
            }
            // Only who has the account's keys can have made another.
            throw .identity(.deviceListForked(handle: offered.handle, number: present))
        }
    }
}
