import MildamCrypto
import MildamFiles
import MildamIdentity
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTransport
import MildamWire

/// Why something the person asked for was not done.
public enum MessengerError: Error, Sendable {
    /// This profile has no account.
    case noAccount(AbsentAccount)
    /// This profile has an account already.
    case accountExists(Handle)
    /// The session has ended: the person must log in.
    case notLoggedIn
    /// The handle or the password is wrong.
    case wrongCredentials
    /// Handle and password are right, and a code of the second factor is needed.
    case secondFactorRequired
    /// The code or recovery code is wrong, or was used before.
    case wrongCode
    /// The handle is taken on this relay.
    case handleTaken(Handle)
    /// The handle is taken; perhaps by this profile, in an attempt whose answer was lost.
    case handleTakenPerhapsByUs(Handle)
    /// The relay takes new accounts by invitation, and none was given.
    case invitationRequired
    /// The relay takes no such invitation: it is none, was used, or has run out.
    case invitationNotOpen
    /// No account has this handle.
    case unknownAccount(Handle)
    /// The account is not, or no longer, a member of the room.
    case notAMember(room: String)
    /// The account is a member of the room already.
    case alreadyAMember(Handle)
    /// The message has no attachment.
    case noAttachment(number: UInt64)
    /// What was asked for cannot be: found before the relay was asked, in words for the person.
    case wrongUse(String)
    /// The room was changed again each time that this client had caught up with it.
    case tooFast(room: String)
    /// The relay has less than this profile has had from it.
    case relayIsBehind(RelayLag)
    /// The relay's salt or cost parameters are weaker or dearer than this client bears.
    case passwordCosts(memory: Int, passes: Int)
    /// The address answers as another relay than before.
    case otherRelay(RelayID)
    /// The account's fingerprint is not the one that the person was told.
    case otherFingerprint(handle: Handle, shown: Fingerprint)
    /// The relay answered with something that cannot be.
    case relayAnswer(String)
    /// A record of an account or device was refused.
    case identity(IdentityError)
    /// The relay refused.
    case refused(APIError)
    /// The relay does not take this device's proof, and the two clocks differ by more than it bears: ten minutes.
    case clockIsOff(ClockSkew)
    /// The relay could not be reached, or the connection broke.
    case transport(TransportError)
    /// The profile's own database.
    case storage(StorageError)
    /// The profile's own files.
    case stateDamaged(String)
    /// A file, while encrypting or decrypting.
    case file(AgeError)
    /// The operating system.
    case system(SystemError)
    /// The crypto library failed.
    case cryptography
    /// The address is of another machine, and without TLS.
    case unprotected(address: String)
    /// No request has this number, or claims to be from this handle.
    case unknownRequest(String)
    /// Several requests claim to be from this handle.
    case ambiguousRequest(Handle)
    /// This profile has made no link with this number that is open.
    case unknownLink(Int64)
    /// The link is of an account on another relay, which is there as it says.
    case linkOfAnotherRelay(address: String)
    /// The link has run out.
    case linkRanOut(Handle)
    /// The relay shows another account or key for the handle than the link.
    case linkDiffers(Handle)
    /// A request is not what it claims to be, and was dropped; or its sender is not believed now.
    case requestNotBelieved(Handle, String)

    /// Sorts any error of the layers below into one of these.
    init(_ error: any Error) {
        self =
            switch error {
            case let error as MessengerError: error
            case let error as IdentityError: .identity(error)
            case let error as APIError: .refused(error)
            case let error as TransportError: .transport(error)
            case let error as StorageError: .storage(error)
            case let error as AgeError: .file(error)
            case let error as SystemError: .system(error)
            case is CryptoKitError: .cryptography
            case is WireError: .relayAnswer("a record is malformed")
            default: .relayAnswer("an answer is not the JSON it should be")
            }
    }
}

extension MessengerError {
    /// The same, where a person had typed what the relay does not take.
    var ofWhatWasTyped: MessengerError {
        guard case .refused(let error) = self else { return self }
        return switch error.code {
        case .wrongCredentials: .wrongCredentials
        case .secondFactorRequired: .secondFactorRequired
        case .wrongCode: .wrongCode
        default: self
        }
    }
}

extension MessengerError: CustomStringConvertible {
    /// What happened, to what, and what to do.
    public var description: String {
        switch self {
        case .noAccount(let absent): "\(absent.found); `mildam account create HANDLE` makes one"
        case .accountExists(let handle): "this profile is \(handle) already: choose another with --profile NAME"
        case .notLoggedIn: "the session has ended: log in with `mildam account login`"
        case .wrongCredentials: "the password is wrong, or this device is not one of the account's"
        case .secondFactorRequired: "the account has a second factor: a code is needed, --code-file takes one"
        case .wrongCode: "the code is wrong, or was used before: wait for the next one, or use a recovery code"
        case .handleTaken(let handle): "the handle \(handle) is taken on this relay: choose another"
        case .handleTakenPerhapsByUs(let handle):
            "the handle \(handle) is taken on this relay; if by this profile, in an attempt that was interrupted: "
                + "use the password of that attempt. Otherwise choose another with --profile NAME"
        case .invitationRequired:
            "the relay takes new accounts by invitation: ask whoever runs it for one, --invitation-file takes it"
        case .invitationNotOpen:
            "the invitation is none of this relay's, was used, or has run out: ask whoever runs it for another"
        case .unknownAccount(let handle): "nobody on this relay is called \(handle)"
        case .notAMember(let room): "you are not, or no longer, a member of \(room)"
        case .alreadyAMember(let handle): "\(handle) is a member already"
        case .wrongUse(let what): what
        case .tooFast(let room): "\(room) changes faster than this client can follow: try again in a moment"
        case .noAttachment(let number): "message \(number) is no attachment"
        case .relayIsBehind(let lag): lag.description
        case .passwordCosts(let memory, let passes):
            "refused: the relay asks for password costs outside what is safe (\(memory) KiB, \(passes) passes)"
        case .otherRelay(let relay):
            "refused: this address now answers as another relay (\(relay)); its key or its data was replaced"
        case .otherFingerprint(let handle, let shown):
            "refused: the key that the relay shows for \(handle) has another fingerprint\n  shown:  \(shown)"
        case .relayAnswer(let what): "the relay's answer cannot be right: \(what)"
        case .identity(let error): error.description
        case .refused(let error): "the relay refused: \(error.message)"
        case .clockIsOff(let skew):
            "\(skew), which refuses what is ten minutes off: set the one that is wrong (timedatectl set-ntp true)"
        case .transport(.tls(.certificateExpired)):
            "\(TLSFailure.certificateExpired): whoever runs the relay renews it; or is this machine's clock ahead?"
        case .transport(.tls(.certificateNotYetValid)):
            "\(TLSFailure.certificateNotYetValid): is this machine's clock behind? Otherwise wait, or have it replaced"
        case .transport(let error):
            if case .unreachable = error { "\(error); see `mildam doctor`" } else { error.description }
        case .storage(let error): error.description
        case .stateDamaged(let what): "the profile is damaged: \(what)"
        case .file(let error): error.description
        case .system(let error): error.description
        case .cryptography: "the crypto library failed"
        case .unprotected(let address):
            "refused: \(address) would send passwords and tokens in clear; http:// is for a relay on this machine"
        case .unknownRequest(let text): "no request is of \(text): see `mildam request list`"
        case .ambiguousRequest(let handle):
            "several requests claim to be from \(handle): name one by its number, see `mildam request list`"
        case .unknownLink(let number): "no open link has the number \(number): see `mildam contact links`"
        case .linkOfAnotherRelay(let address): "refused: the link is of an account on another relay, \(address)"
        case .linkRanOut(let handle): "the link of \(handle) has run out: ask them for another"
        case .linkDiffers(let handle):
            "refused: the account or key that the relay shows for \(handle) is not the one in the link; "
                + "ask \(handle) how they gave it to you"
        case .requestNotBelieved(let handle, let cause): "refused: the request in the name of \(handle): \(cause)"
        }
    }
}
