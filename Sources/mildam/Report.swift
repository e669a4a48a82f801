import Glibc
import MildamCrypto
import MildamEnclave
import MildamFiles
import MildamIdentity
import MildamKeychain
import MildamMessenger
import MildamOneTimeCode
import MildamProfile
import MildamRelayAPI
import MildamStorage
import MildamSystem
import MildamTerminal
import MildamTokens
import MildamVault

/// Tells how it went: a line for people, or an object for programs.
struct Report {
    let console: Console
    let isJSON: Bool

    /// Prints an answer.
    ///
    /// - Returns: `.done`, the status of a command that ends with it.
    @discardableResult
    func answer(_ value: some Encodable, _ text: () -> String) throws -> ExitStatus {
        try console.print(isJSON ? try JSONLine.text(of: value) : text())
        return .done
    }

    /// Tells people something on standard error; a program finds it in the answer.
    func note(_ text: String) {
        if !isJSON { console.complain(shown("mildam: \(text)")) }
    }

    /// Tells people why an answer that was given is not all, and ends with the status of that.
    func ended(with trouble: MessengerError?) -> ExitStatus? {
        guard let trouble else { return nil }
        note(Report.text(of: trouble))
        return ExitStatus(trouble)
    }

    /// Prints why it failed.
    ///
    /// - Returns: the status to end with.
    func failure(_ error: any Error) -> ExitStatus {
        let status = ExitStatus(error)
        let text = Report.text(of: error)
        if isJSON, let line = try? JSONLine.text(ofFailure: text, status) {
            try? console.print(line)
        } else {
            console.complain("mildam: \(text)")
        }
        return status
    }

    /// What is said of an error: one line, whatever a relay or another member put into it. Only where every word is ours,
    /// or of a kind that holds no line breaks, there are more.
    static func text(of error: any Error) -> String {
        TerminalText.sanitized("\(error)", keepingNewlines: hasLinesOfOurs(error))
    }

    private static func hasLinesOfOurs(_ error: any Error) -> Bool {
        switch error {
        case is UsageError, MessengerError.identity(.identityKeyChanged), MessengerError.otherFingerprint: true
        case MessengerError.unsent(let error): hasLinesOfOurs(error)
        default: false
        }
    }
}

/// A name that somebody else chose, safe to print.
func shown(_ text: String) -> String { TerminalText.sanitized(text) }

extension ExitStatus {
    /// The status that an error ends with.
    init(_ error: any Error) {
        self =
            switch error {
            case is UsageError: .usage
            case let error as PromptError: ExitStatus(error)
            case let error as MessengerError: ExitStatus(error)
            case let error as AgeError: ExitStatus(error)
            case let error as AgeKeyError: ExitStatus(error)
            case let error as RNCryptorError: ExitStatus(error)
            case let error as LegacyError: ExitStatus(error)
            case let error as VaultError: ExitStatus(error)
            case let error as KeychainError: ExitStatus(error)
            case let error as EnclaveError: ExitStatus(error)
            case let error as EnclaveKeyError: ExitStatus(error)
            case let error as ECIESError: ExitStatus(error)
            case let error as ECKeyError: ExitStatus(error)
            case is NoText, is BrokenLink: .damaged
            case let error as TransferError: ExitStatus(error)
            case is AgentRuns, is AmbiguousToken, is ProfileKeyStays, ClipboardError.noClipboard: .refused
            case is NoToken, is NoSignIn, is NothingToLogInTo: .notFound
            case let error as SignInFailure: ExitStatus(error)
            case let error as ProofError: ExitStatus(error)
            case is DamagedSignIn: .damaged
            case ImportError.wrongPassword: .wrongSecret
            case is TargetTaken: .refused
            case let error as InputError: ExitStatus(error.error)
            case is UnknownFile: .damaged
            case let error as KeyFileError: ExitStatus(error.error)
            case StorageError.locked: .refused
            case is StillInRooms, is Declined: .refused
            case let error as SystemError: ExitStatus(error)
            default: .failed
            }
    }

    init(_ error: SystemError) {
        self = error.distrust != nil ? .refused : error.code == ENOENT ? .notFound : .failed
    }

    private init(_ error: AgeError) {
        self =
            switch error {
            case .noIdentityMatches: .wrongSecret
            case .malformedHeader, .malformedArmor, .unsupportedVersion, .headerMACMismatch, .damaged, .truncated,
                .trailingData, .differentCiphertext:
                .damaged
            case .workFactorTooHigh: .refused
            case .recipientStandsAlone: .usage
            case .io(let error): ExitStatus(error)
            case .invalidIdentity, .invalidRecipient, .noRecipients, .emptyPassphrase, .tooManyRecipients,
                .pluginMissing, .pluginFailed, .sourceChanged, .cancelled, .cryptography:
                .failed
            }
    }

    private init(_ error: VaultError) {
        self =
            switch error {
            case .noVault, .noEntry: .notFound
            case .keysDoNotOpen: .wrongSecret
            case .fileMissing, .strayFile: .damaged
            case .notRekeyed(_, let error, _): ExitStatus(error)
            case .folderTaken, .nameTaken, .sameContent, .notAFile: .refused
            case .invalidName, .invalidTag, .invalidRecipient, .tooManyRecipients: .usage
            case .file(_, let error): ExitStatus(error)
            case .storeFile(_, let error): ExitStatus(error)
            case .storeTable, .storeRow: .damaged
            case .indexDamaged, .storage(.damaged), .storage(.notOurs): .damaged
            case .unknownFiles, .storage(.newerVersion), .storage(.locked): .refused
            case .io(let error): ExitStatus(error)
            case .storage, .sourceChanged, .cancelled: .failed
            }
    }

    init(_ error: KeychainError) {
        self =
            switch error {
            case .wrongSecret: .wrongSecret
            case .itemNotFound, .noKeychain, .noSuchSlot: .notFound
            case .damagedItem, .changedFromOutside, .rolledBack, .storage(.damaged), .storage(.notOurs): .damaged
            case .locked, .needsPassphrase, .tooManyTries, .accessGroupDenied, .alreadyExists, .duplicateItem,
                .lastSlot, .storage(.newerVersion), .storage(.locked):
                .refused
            case .invalidRequest: .usage
            case .io(let error): ExitStatus(error)
            case .enclave, .storage, .agent: .failed
            }
    }

    private init(_ error: TransferError) {
        self =
            switch error {
            case .wrongPassword: .wrongSecret
            case .notUTF8, .malformed, .notThisFormat, .documentTypeRefused, .damaged: .damaged
            case .costsTooHigh, .newerVersion, .plaintextNotAccepted: .refused
            case .keychain(let error): ExitStatus(error)
            case .file(let error): ExitStatus(error)
            case .io(let error): ExitStatus(error)
            case .keyring, .needsPassword, .tooLarge, .tooManyRows, .unsupported, .cryptography: .failed
            }
    }

    private init(_ error: AgeKeyError) {
        if case .io(let error) = error { self = ExitStatus(error) } else { self = .failed }
    }

    private init(_ error: RNCryptorError) {
        self =
            switch error {
            case .authenticationFailed, .differentlyKeyed: .wrongSecret
            case .notRNCryptor, .unsupportedVersion, .unknownOptions, .truncated: .damaged
            case .io(let error): ExitStatus(error)
            case .emptyPassword, .invalidKeySize, .sourceChanged, .cancelled, .cryptography: .failed
            }
    }

    private init(_ error: LegacyError) {
        self =
            switch error {
            case .wrongPadding: .wrongSecret
            case .truncated: .damaged
            case .io(let error): ExitStatus(error)
            case .invalidParameter, .sourceChanged, .cancelled, .cryptography: .failed
            }
    }

    private init(_ error: PromptError) {
        self = .failed
    }

    private init(_ error: MessengerError) {
        self =
            switch error {
            case .wrongCredentials, .wrongCode: .wrongSecret
            case .noAccount, .unknownAccount, .unknownRoom, .noAttachment, .gone, .notInOutbox,
                .unknownRequest, .unknownLink:
                .notFound
            case .content, .relayAnswer, .stateDamaged, .linkDiffers: .damaged
            case .accountExists, .notLoggedIn, .secondFactorRequired, .handleTaken, .handleTakenPerhapsByUs,
                .invitationRequired, .invitationNotOpen, .notAMember, .invitedAnew,
                .alreadyAMember, .passwordCosts, .otherRelay,
                .clockIsOff, .relayMembersDiffer, .relayKeysDiffer, .otherFingerprint, .identity, .unprotected,
                .tooLong,
                .requestNotBelieved, .linkOfAnotherRelay, .linkRanOut, .linkRequired:
                .refused
            case .wrongUse: .usage
            case .refused(let error): error.code == .unavailable ? .unreachable : .refused
            case .system(let error) where error.distrust != nil: .refused
            case .transport(.tls): .refused
            case .transport, .behind, .tooFast: .unreachable
            case .storage(.damaged), .storage(.notOurs): .damaged
            case .storage(.newerVersion), .storage(.locked): .refused
            case .file(.io), .storage, .system, .cryptography, .ambiguousRoom,
                .ambiguousRequest:
                .failed
            case .file: .damaged
            case .unsent(let error): ExitStatus(error)
            }
    }
}
