/// Why an account, a device or a list is not believed.
public enum IdentityError: Error, Equatable, Sendable {
    /// A signature that its key did not make. The text is the label of what was signed.
    case badSignature(String)
    /// A record or list that speaks of another relay, account or handle than the one asked for.
    case notWhatWasAsked(String)
    /// The identity key is not the one that was pinned.
    case identityKeyChanged(handle: Handle, pinned: Fingerprint, shown: Fingerprint)
    /// The device list is older than one already seen.
    case deviceListTooOld(handle: Handle, shown: UInt64, known: UInt64)
    /// Two different device lists with the same number.
    case deviceListForked(handle: Handle, number: UInt64)
    /// The device list is newer than the one seen before, and no device of that one handed over to it.
    case deviceListUnconnected(handle: Handle, shown: UInt64, known: UInt64)
    /// The list names a device whose record is not shown, or not the one it names.
    case deviceRecordMissing(DeviceID)
    /// A device record is shown that the list does not name.
    case deviceNotListed(DeviceID)
}

extension IdentityError: CustomStringConvertible {
    /// What is wrong, and that it was refused.
    public var description: String {
        switch self {
        case .badSignature(let label):
            "refused: the signature on \"\(label)\" was not made by the key it should be made by"
        case .notWhatWasAsked(let what):
            "refused: the relay answered with a record for another \(what)"
        case .identityKeyChanged(let handle, let pinned, let shown):
            "refused: the identity key of \(handle) has changed\n  pinned: \(pinned)\n  shown:  \(shown)\n"
                + "  ask \(handle) for theirs; `mildam contact accept` takes the one you were told"
        case .deviceListTooOld(let handle, let shown, let known):
            "refused: the relay shows device list \(shown) of \(handle), but number \(known) was seen before"
        case .deviceListForked(let handle, let number):
            "refused: the relay shows another device list \(number) of \(handle) than before"
        case .deviceListUnconnected(let handle, let shown, let known):
            "refused: the relay shows device list \(shown) of \(handle), and no device of list \(known), seen before, leads "
                + "to it; compare fingerprints again, and take it with `mildam contact accept`"
        case .deviceRecordMissing(let device):
            "refused: the device list names device \(device), whose record is not shown"
        case .deviceNotListed(let device):
            "refused: device \(device) is not on its account's newest device list"
        }
    }
}
