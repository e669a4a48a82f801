import MildamClientCore
import MildamCrypto
import MildamIdentity

/// Whom the person knows accounts to be: where a room has another identity of one, nothing is sent there (H1).
extension GroupRooms {
    /// Begins to hear of pins that are made, moved or accepted by whoever works with this profile in the process.
    func followPins() async {
        await messenger.onPins { [weak self] in
            Task { [weak self] in try? await self?.learnPins() }
        }
    }

    /// Tells the core of the pins that it does not know as they are.
    func learnPins() async throws(MessengerError) {
        let pins = try await messenger.pins()
        let new = pins.filter { pinned[$0.key] != $0.value }
        guard !new.isEmpty, attempt(new.sorted { $0.key < $1.key }.map { .pin($0.key, $0.value) }) else { return }
        pinned.merge(new) { $1 }
    }
}

extension Messenger {
    /// The identity key of each account that was seen or compared; not of those that were only told.
    func pins() async throws(MessengerError) -> [AccountID: Curve25519.Signing.PublicKey] {
        try await alone { (messenger, store) throws(MessengerError) in
            var pins: [AccountID: Curve25519.Signing.PublicKey] = [:]
            for record in try store.records(.pin) {
                guard let pin = try messenger.pin(record.pin().handle, store) else { continue }
                pins[pin.account] = pin.identityKey
            }
            return pins
        }
    }

    /// Has somebody called when a pin was kept.
    func onPins(_ call: @escaping @Sendable () -> Void) { pinsChanged = call }
}
