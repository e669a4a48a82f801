import MildamFiles
import MildamMessenger
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTerminal

extension MessengerError: EndsWithStatus {
    /// The status of `mildam`.
    public var exitStatus: ExitStatus {
        switch self {
        case .wrongCredentials, .wrongCode: .wrongSecret
        case .noAccount, .unknownAccount, .noAttachment, .unknownRequest, .unknownLink: .notFound
        case .relayAnswer, .stateDamaged, .linkDiffers: .damaged
        case .accountExists, .notLoggedIn, .secondFactorRequired, .handleTaken, .handleTakenPerhapsByUs,
            .invitationRequired, .invitationNotOpen, .notAMember, .alreadyAMember, .passwordCosts, .otherRelay,
            .otherFingerprint, .identity, .unprotected, .clockIsOff, .relayIsBehind, .requestNotBelieved,
            .linkOfAnotherRelay, .linkRanOut, .ambiguousRequest:
            .refused
        case .wrongUse: .usage
        case .refused(let error): error.code == .unavailable ? .unreachable : .refused
        case .transport(.tls(let failure)): failure.fileError?.exitStatus ?? .refused
        case .transport, .tooFast: .unreachable
        case .storage(let error): error.exitStatus
        case .system(let error): error.exitStatus
        case .file(.io(let error)): error.exitStatus
        case .file(.sourceChanged), .file(.cancelled), .file(.cryptography), .cryptography: .failed
        // Whoever is in the room should be able to open it.
        case .file: .damaged
        }
    }
}
