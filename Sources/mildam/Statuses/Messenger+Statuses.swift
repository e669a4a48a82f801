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
        case .noAccount, .unknownAccount, .unknownRoom, .noAttachment, .gone, .notInOutbox,
            .unknownRequest, .unknownLink:
            .notFound
        case .content, .relayAnswer, .stateDamaged, .linkDiffers: .damaged
        case .accountExists, .notLoggedIn, .secondFactorRequired, .handleTaken, .handleTakenPerhapsByUs,
            .invitationRequired, .invitationNotOpen, .notAMember, .invitedAnew,
            .alreadyAMember, .passwordCosts, .otherRelay,
            .relayMembersDiffer, .relayKeysDiffer, .otherFingerprint, .identity, .unprotected, .tooLong,
            .clockIsOff, .relayIsBehind, .requestNotBelieved, .linkOfAnotherRelay, .linkRanOut, .linkRequired,
            .ambiguousRoom,
            .ambiguousRequest:
            .refused
        case .wrongUse: .usage
        case .refused(let error): error.code == .unavailable ? .unreachable : .refused
        case .transport(.tls(let failure)): failure.fileError?.exitStatus ?? .refused
        case .transport, .behind, .tooFast: .unreachable
        case .storage(let error): error.exitStatus
        case .system(let error): error.exitStatus
        case .file(.io(let error)): error.exitStatus
        case .file(.sourceChanged), .file(.cancelled), .file(.cryptography), .cryptography: .failed
        // Whoever is in the room should be able to open it.
        case .file: .damaged
        case .unsent(let error): error.exitStatus
        }
    }
}
