import Glibc
import MildamClientCore
import MildamFiles
import MildamRelayAPI
import MildamSystem

/// Why a file is not sent or saved, as a code: for now, or for good.
///
/// | code | meaning |
/// |---|---|
/// | `file-changed` | the file is not the one that was named any more, or changed while it was read |
/// | `file-interrupted` | it was no regular file, and its reading was interrupted |
/// | `file-too-large` | it is larger than what a relay takes |
/// | `file-gone` | the relay does not have it, or not all of it |
/// | `file-damaged` | it is not what its sender says |
/// | `relay-answer` | the relay's answer cannot be right |
/// | `disk-full` | there is no room on the disk: it goes on by itself once there is |
/// | `errno-N` | the system refuses, by the number N |
/// | `cancelled` | a person gave it up |
///
/// Others are those of ``RoomFault`` and of what the relay refuses.
enum TransferFault: Error, Equatable, Sendable {
    /// It is tried again by itself.
    case passing(code: String)
    /// It is not.
    case final(code: String)

    /// The code.
    var code: String {
        switch self {
        case .passing(let code), .final(let code): code
        }
    }

    static let changed = TransferFault.final(code: "file-changed")
    static let interrupted = TransferFault.final(code: "file-interrupted")
    static let tooLarge = TransferFault.final(code: "file-too-large")
    static let gone = TransferFault.final(code: "file-gone")
    static let damaged = TransferFault.final(code: "file-damaged")
    static let cancelled = TransferFault.final(code: "cancelled")
    static let full = TransferFault.passing(code: "disk-full")

    /// What the system refuses. A disk that is full, or this user's share of it, is waited for.
    init(_ error: SystemError) {
        self = error.code == ENOSPC || error.code == EDQUOT ? .full : .final(code: "errno-\(error.code)")
    }

    /// Why a file was not encrypted or decrypted.
    init(_ error: AgeError) {
        self =
            switch error {
            case .io(let error): TransferFault(error)
            case .sourceChanged: .changed
            case .cancelled: .cancelled
            default: .damaged
            }
    }

    /// Why the relay does not have or give it. What it may do later is tried again, and what a person has to set right.
    init(_ error: MessengerError) {
        switch error {
        case .transport, .notLoggedIn, .otherRelay, .unprotected, .clockIsOff:
            self = .passing(code: RoomFault(error).code)
        case .refused(let refusal):
            guard let meaning = RelayRefusal(refusal) else {
                self = .passing(code: RoomFault(MessengerError.notLoggedIn).code)
                return
            }
            switch refusal.code {
            case .unknownBlob: self = .gone
            // Another attempt has brought it further.
            case .wrongOffset: self = .passing(code: meaning.code)
            default: self = meaning.mayPass ? .passing(code: meaning.code) : .final(code: meaning.code)
            }
        case .system(let error): self = TransferFault(error)
        case .file(let error): self = TransferFault(error)
        case .relayAnswer: self = .final(code: "relay-answer")
        default: self = .final(code: RoomFault(error).code)
        }
    }
}
