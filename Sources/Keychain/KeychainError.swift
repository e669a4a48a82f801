import MildamEnclave
import MildamStorage
import MildamSystem

/// Why a keychain refused.
public enum KeychainError: Error, Equatable, Sendable {
    /// An item with this primary key is there already (`errSecDuplicateItem`, −25299).
    case duplicateItem
    /// Several groups have an item with this primary key, and none was named: nothing was changed (`errSecParam`, −50).
    case ambiguousItem(numbers: [Int64])
    /// Nothing matches (`errSecItemNotFound`, −25300).
    case itemNotFound
    /// The request contradicts itself, or the class has no such attribute (`errSecParam`, −50).
    case invalidRequest(reason: String)
    /// The keychain, or the part of it that the item needs, is locked (`errSecInteractionNotAllowed`, −25308).
    case locked
    /// An item can be read only where a passphrase opened the keychain, and none is set, or another slot opened it
    /// (`errSecAuthFailed`, −25293).
    case needsPassphrase
    /// The passphrase, PIN or code is not that of any slot of its kind, or the slot is damaged: the format cannot tell
    /// (`errSecAuthFailed`, −25293).
    case wrongSecret
    /// Too many wrong ones came; try again in so many seconds (`errSecAuthFailed`, −25293).
    case tooManyTries(seconds: Int)
    /// The program may not use the access group (`errSecMissingEntitlement`, −34018).
    case accessGroupDenied(group: String)
    /// A row does not open, and is kept as it is: what it held is unknown.
    case damagedItem(number: Int64)
    /// What was kept of an item that was removed or replaced does not open.
    case damagedPast(number: Int64)
    /// The file was changed by something that has not the keys: an item is missing, came back or was replaced by an older one.
    case changedFromOutside(reason: String)
    /// The whole file is an older copy of itself: a counter outside it has gone further.
    case rolledBack
    /// Another file has taken the place of the one that is open, or it is gone: what would be written to it is lost.
    case replaced(path: String)
    /// The item is another one by now than the one that was looked at before the change (`errSecParam`, −50).
    case changedMeanwhile
    /// There is no slot of this kind.
    case noSuchSlot
    /// The slot that the keychain was opened with cannot be removed: another one has to be shown to open it.
    case lastSlot
    /// There is a keychain already.
    case alreadyExists(path: String)
    /// There is no keychain.
    case noKeychain(path: String)
    /// The enclave that is needed is not there, or cannot be reached.
    case absentEnclave(EnclaveError.Absence, reason: String)
    /// The enclave refused.
    case enclave(reason: String)
    /// The file could not be read or written, or was damaged as a whole.
    case storage(StorageError)
    /// The operating system refused.
    case io(SystemError)
    /// The agent answered what this program does not understand, or went away before it did.
    case agent(reason: String)
    /// Who answers at the agent's socket keeps another keychain, or is another program than this one: it is asked for
    /// nothing, as it would answer for something else.
    case foreignAgent(socket: String, agent: AgentInfo)
}

extension KeychainError: CustomStringConvertible {
    /// What happened, and what to do.
    public var description: String {
        switch self {
        case .duplicateItem: "there is such an item already; update it, or name another"
        case .ambiguousItem(let numbers):
            "several items have this name (numbers \(numbers.map(String.init).joined(separator: ", "))); name the access "
                + "group of the one that is meant, as `mildam keychain list --json` shows it"
        case .itemNotFound: "there is no such item"
        case .invalidRequest(let reason): "the request makes no sense: \(reason)"
        case .locked: "the keychain is locked; unlock it first (mildam unlock)"
        case .needsPassphrase:
            "the item can be read only while the keychain's passphrase has opened it; unlock it with the passphrase"
        case .wrongSecret: "the passphrase, PIN or recovery code is wrong, or what it opens is damaged; try again"
        case .tooManyTries(let seconds): "too many wrong tries; try again in \(seconds) s"
        case .accessGroupDenied(let group):
            "this program may not use the access group \(group); grant it with `mildam keychain grant`"
        case .damagedItem(let number):
            "item \(number) is damaged; it was kept as it is; restore the keychain from a backup, or give the item up with "
                + "`mildam keychain repair --discard \(number)`"
        case .damagedPast(let number):
            "what was kept under the number \(number) is damaged, and cannot be put back; `mildam keychain repair` takes "
                + "it away"
        case .changedFromOutside(let reason):
            "the keychain was changed by something that has not its keys (\(reason)); restore a backup, or accept what "
                + "is there with `mildam keychain repair`"
        case .rolledBack:
            "the keychain is an older copy of itself; find the newer file, or accept this one with "
                + "`mildam keychain repair`"
        case .replaced(let path):
            "another file has taken the place of \(path) since it was opened, or it is gone: nothing was read or "
                + "written; begin again; an agent has the old one open until it is ended (`mildam lock --stop`)"
        case .changedMeanwhile:
            "another program has changed the item meanwhile: nothing was changed; look at it, and begin again"
        case .noSuchSlot: "no such way to unlock the keychain was set up; see `mildam keychain slots`"
        case .lastSlot:
            "the way that the keychain was opened with cannot be taken away: open it another way, by --with; "
                + "`mildam keychain add-slot` adds one"
        case .alreadyExists(let path): "there is a keychain at \(path) already"
        case .noKeychain(let path): "there is no keychain at \(path); make one with `mildam keychain create`"
        case .absentEnclave(_, let reason): reason
        case .enclave(let reason): reason
        case .storage(.damaged(let path, let reason)):
            "\(path) is damaged (\(reason)); `mildam keychain repair` saves what can be saved"
        case .storage(let error): error.description
        case .io(let error): error.description
        case .agent(let reason): "the keychain's agent: \(reason)"
        case .foreignAgent(let socket, let agent):
            "the agent at \(socket) is of \(agent.executable) (\(agent.version)) and keeps \(agent.keychain); end it "
                + "with `mildam lock --stop`"
        }
    }
}
