import MildamSystem
import MildamTerminal

/// What runs a command.
typealias Run = @Sendable (Action) async throws -> ExitStatus

/// A command of this program.
typealias ActionCommand = Command<Run>

/// The account, and whom one talks with.
private let conversation: [ActionCommand] = [
    accountCreate,
    accountLogin,
    accountLogout,
    accountShow,
    accountRenewKeys,
    accountSessions,
    accountEndSession,
    accountLog,
    accountPassword,
    accountDelete,
    accountSecondFactor,
    accountAddSecondFactor,
    accountConfirmSecondFactor,
    accountRemoveSecondFactor,

    contactList,
    contactAdd,
    contactAccept,
    contactLinks,
    contactRevokeLink,
    inviteLink,

    requestList,
    requestShow,
    requestAccept,
    requestDecline,
    requestBlock,

    roomCreate,
    roomInvite,
    roomJoin,
    roomDecline,
    roomList,
    roomShow,
    roomRemove,
    roomContinue,
    roomRole,
    roomPolicy,
    roomRename,
    roomVerify,
    roomRenew,
    roomLeave,
    roomForget,

    sendCommand,
    readCommand,
    searchCommand,
    watchCommand,
    chatCommand,
    saveCommand,
]

/// Files, one by one.
private let files: [ActionCommand] = [
    fileKeygen,
    fileEncrypt,
    fileDecrypt,
    fileConvert,
    fileInspect,
]

/// Many files in one place.
private let vault: [ActionCommand] = [
    vaultInit,
    vaultAdd,
    vaultList,
    vaultSearch,
    vaultBrowse,
    vaultGet,
    vaultRemove,
    vaultMove,
    vaultTag,
    vaultHistory,
    vaultRestore,
    vaultPrune,
    vaultVerify,
    vaultRekey,
    vaultImport,
    vaultStorePassword,
    vaultExport,
    vaultSync,
    vaultRepair,
]

/// The keychain, and what lies in it.
private let secrets: [ActionCommand] = [
    keychainCreate,
    keychainSet,
    keychainGenerate,
    keychainEdit,
    keychainGet,
    keychainList,
    keychainRemove,
    keychainTrash,
    keychainHistory,
    keychainImport,
    keychainExport,
    keychainVerify,
    keychainRepair,
    keychainCopies,
    keychainSlots,
    keychainPassphrase,
    keychainAddSlot,
    keychainRemoveSlot,
    keychainRecoveryCode,
    keychainGrants,
    keychainGrant,
    keychainRevoke,
    keychainAudit,
    keychainAgent,
    unlockCommand,
    lockCommand,

    enclaveStatus,
    enclaveCreate,
    enclaveList,
    enclaveDelete,
    enclaveTest,
    enclaveEncrypt,
    enclaveDecrypt,

    otpAdd,
    otpList,
    otpCode,
    otpImport,
    otpExport,
    otpQR,
    otpRemove,

    tokenLogin,
    tokenStatus,
    tokenGet,
    tokenExec,
    tokenRevoke,
    tokenList,
    tokenRemove,
]

/// What waits, and what is wrong.
private let upkeep: [ActionCommand] = [
    outboxList,
    outboxDrop,
    doctorCommand,
    statusCommand,
]

/// The same, and what the others ask once it runs.
private let running: [ActionCommand] = upkeep.asOwnClient + [clientRun]

/// Whether the profile's client runs, and its end: nothing is opened for that.
private let client: [ActionCommand] = [
    clientStatus,
    clientStop,
]

/// What needs no profile.
private let others: [ActionCommand] = [
    relayServe,
    relayUser,
]

extension [ActionCommand] {
    /// The same, of a profile whose key may be in a keychain: what opens that is given as everywhere.
    fileprivate var openingKeychain: [ActionCommand] { map { $0.taking(KeychainOpening.question) } }

    /// The same, each of which can be the profile's client itself.
    fileprivate var asOwnClient: [ActionCommand] { map { $0.taking([OwnClient.option]) } }
}

/// What `mildam` can do, in the order in which it is listed: each command is one value in a file of its own.
let commands: CommandSet<Run> = CommandSet(
    conversation.asOwnClient.openingKeychain + files + vault.openingKeychain + secrets
        + running.openingKeychain + client + others,
    unlisted: [completeCommand]
) { commands in
    CommandTable(
        program: "mildam",
        version: Version.text,
        date: Version.date,
        summary: "Talk in confidence, over a relay that cannot read along.",
        discussion: """
            A profile is one person on one device: an account, its keys and its rooms, in one folder. Messages and files are \
            encrypted before they leave this machine; the relay keeps and delivers them, and cannot open them.

            Messages written while the relay cannot be reached wait in the profile, and are sent once, in order, later.
            """,
        globalOptions: [
            OptionSpec(
                "profile",
                short: "p",
                value: .init("NAME"),
                help: "The profile to use, \"default\" unless given. MILDAM_PROFILE names one, too."
            ),
            OptionSpec("json", help: "Answer with one JSON object, errors included."),
        ],
        groups: [
            .init("account", summary: "This profile's account."),
            .init("contact", summary: "People this profile has met."),
            .init("request", summary: "People this profile does not know, who want it in a room."),
            .init("room", summary: "Rooms, and who is in them."),
            .init("file", summary: "Files, encrypted one by one: age's, RNCryptor's, and older ones."),
            .init("vault", summary: "Many files, encrypted, in one place."),
            .init("keychain", summary: "Passwords, keys and other secrets."),
            .init("enclave", summary: "Keys that never leave: in a TPM, or in software."),
            .init("otp", summary: "One-time codes, and the tokens that make them."),
            .init("token", summary: "Sign-ins at other people's servers (OAuth), and their tokens."),
            .init("outbox", summary: "What waits until the relay can be reached."),
            .init("client", summary: "What keeps the profile open for other commands."),
            relayGroup,
        ],
        shortcuts: [
            "encrypt": ["file", "encrypt"], "decrypt": ["file", "decrypt"], "keygen": ["file", "keygen"],
            "login": ["account", "login"], "logout": ["account", "logout"], "register": ["account", "create"],
        ],
        environment: [
            .init("MILDAM_HOME", "Where profiles lie, in place of $XDG_DATA_HOME/mildam."),
            .init("MILDAM_PROFILE", "The profile, where --profile does not say."),
            .init("MILDAM_RELAY", "The relay of a new account, where --relay does not say."),
            .init("MILDAM_VAULT", "The vault's folder, where --vault does not say."),
            .init("MILDAM_TPM", "The TPM to use, where --tcti does not say."),
            .init("MILDAM_PASSPHRASE", "A passphrase, in place of asking: for keychain, file and key file alike."),
            .init("XDG_DATA_HOME", "Where data of programs lies; ~/.local/share unless set."),
            .init("XDG_RUNTIME_DIR", "Where the keychain's agent and the profile's client have their sockets."),
            .init("NO_COLOR", "Set to anything: no emphasis on a terminal."),
        ],
        files: [
            .init("$XDG_DATA_HOME/mildam/PROFILE", "A profile: its account, keys, rooms, keychain and vault.")
        ],
        commands: commands
    )
}

/// What the commands say of themselves. Parsing, help, completions, manual and reference all come from here.
let table: CommandTable = commands.table
