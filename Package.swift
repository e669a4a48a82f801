// swift-tools-version: 6.2
import PackageDescription

// The folder list is the architecture: a target may depend only on targets of the floors below it
// (ARCHITECTURE.md, "The house"). `Scripts/lint` holds the imports against this list.

/// The thread sanitizer does not understand `Synchronization.Mutex`; under it `Lock` stands on pthreads.
nonisolated let sanitizerSettings: [SwiftSetting] =
    Context.environment["MILDAM_SANITIZE"] == "thread" ? [.define("MILDAM_THREAD_SANITIZER")] : []

/// Settings of every Swift target.
nonisolated let settings: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .strictMemorySafety(),
        .enableUpcomingFeature("ExistentialAny"),
        .enableExperimentalFeature("Lifetimes"),
    ] + sanitizerSettings

/// Programs have every name of a C library looked up before they start: looked up at its first call, the loader saves
/// the vector registers on the stack, and a key with them. Programs and tests only: a library with unsafe flags could
/// not be depended on.
nonisolated let boundAtStart: [LinkerSetting] = [.unsafeFlags(["-Xlinker", "-z", "-Xlinker", "now"])]

/// A library target of the house: the module is `Mildam` + the folder's name.
func room(
    _ folder: String,
    on below: [String],
    c libraries: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: "Mildam" + folder,
        dependencies: (below.map { "Mildam" + $0 } + libraries).map { .byName(name: $0) },
        path: "Sources/" + folder,
        resources: resources,
        swiftSettings: settings
    )
}

/// A program: it parses, calls and prints.
func program(_ name: String, on below: [String]) -> Target {
    .executableTarget(
        name: name,
        dependencies: below.map { .byName(name: "Mildam" + $0) },
        path: "Sources/" + name,
        swiftSettings: settings,
        linkerSettings: boundAtStart
    )
}

/// The tests of one target.
func tests(
    of folder: String,
    on below: [String] = [],
    c libraries: [String] = [],
    data: [String] = []
) -> Target {
    .testTarget(
        name: "Mildam\(folder)Tests",
        dependencies: ([folder] + below).map { .byName(name: "Mildam" + $0) }
            + libraries.map { .byName(name: $0) } + ["TestSupport"],
        path: "Tests/" + folder,
        exclude: data,
        swiftSettings: settings,
        linkerSettings: boundAtStart
    )
}

/// Tests that run programs, which are built with them.
func tests(
    running programs: [String],
    of folder: String,
    on below: [String],
    c libraries: [String] = [],
    support: [String] = []
) -> Target {
    .testTarget(
        name: "Mildam\(folder)Tests",
        dependencies: (programs + below.map { "Mildam" + $0 } + libraries + support + ["TestSupport"])
            .map { .byName(name: $0) },
        path: "Tests/" + folder,
        swiftSettings: settings,
        linkerSettings: boundAtStart
    )
}

/// Tests of the whole house: real programs on loopback.
func house(
    _ name: String,
    in folder: String,
    running more: [String] = [],
    on below: [String],
    support: [String] = [],
    data: [String] = []
) -> Target {
    let programs = ["mildam", "mildam-relay", "mildam-weakened"]
    return .testTarget(
        name: name,
        dependencies: (programs + more + below.map { "Mildam" + $0 } + support + ["HouseSupport", "TestSupport"])
            .map { .byName(name: $0) },
        path: "Tests/" + folder,
        exclude: data,
        swiftSettings: settings,
        linkerSettings: boundAtStart
    )
}

/// A C library of the system, found through pkg-config.
func library(_ name: String, pkgConfig: String? = nil, apt: String) -> Target {
    .systemLibrary(name: name, path: "Sources/" + name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "mildam",
    products: [
        .library(name: "MildamClientAPI", targets: ["MildamClientAPI"]),
        .library(name: "MildamClientCore", targets: ["MildamClientCore"]),
        .library(name: "MildamClientStore", targets: ["MildamClientStore"]),
        .library(name: "MildamContent", targets: ["MildamContent"]),
        .library(name: "MildamCrypto", targets: ["MildamCrypto"]),
        .library(name: "MildamEnclave", targets: ["MildamEnclave"]),
        .library(name: "MildamFiles", targets: ["MildamFiles"]),
        .library(name: "MildamGroupKey", targets: ["MildamGroupKey"]),
        .library(name: "MildamGroupStore", targets: ["MildamGroupStore"]),
        .library(name: "MildamIdentity", targets: ["MildamIdentity"]),
        .library(name: "MildamJOSE", targets: ["MildamJOSE"]),
        .library(name: "MildamKeychain", targets: ["MildamKeychain"]),
        .library(name: "MildamMessenger", targets: ["MildamMessenger"]),
        .library(name: "MildamMLS", targets: ["MildamMLS"]),
        .library(name: "MildamOTP", targets: ["MildamOTP"]),
        .library(name: "MildamOneTimeCode", targets: ["MildamOneTimeCode"]),
        .library(name: "MildamProfile", targets: ["MildamProfile"]),
        .library(name: "MildamRelay", targets: ["MildamRelay"]),
        .library(name: "MildamRelayAPI", targets: ["MildamRelayAPI"]),
        .library(name: "MildamRoomRules", targets: ["MildamRoomRules"]),
        .library(name: "MildamScan", targets: ["MildamScan"]),
        .library(name: "MildamSecretService", targets: ["MildamSecretService"]),
        .library(name: "MildamSecurity", targets: ["MildamSecurity"]),
        .library(name: "MildamSession", targets: ["MildamSession"]),
        .library(name: "MildamStorage", targets: ["MildamStorage"]),
        .library(name: "MildamSystem", targets: ["MildamSystem"]),
        .library(name: "MildamTerminal", targets: ["MildamTerminal"]),
        .library(name: "MildamVault", targets: ["MildamVault"]),
        .library(name: "MildamTokens", targets: ["MildamTokens"]),
        .library(name: "MildamTransport", targets: ["MildamTransport"]),
        .library(name: "MildamWire", targets: ["MildamWire"]),
        .executable(name: "mildam", targets: ["mildam"]),
        .executable(name: "mildam-keyring", targets: ["mildam-keyring"]),
        .executable(name: "mildam-relay", targets: ["mildam-relay"]),
        .executable(name: "mildam-scan", targets: ["mildam-scan"]),
    ],
    targets: [
        // 0: C libraries, each owned by one target
        library("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev"),
        library("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev"),
        library("CLibCrypto", pkgConfig: "libcrypto", apt: "libssl-dev"),
        library("CLibSSL", pkgConfig: "libssl", apt: "libssl-dev"),
        library("CLibSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        library("CSecret", apt: "libsecret-1-dev"),
        library("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        library("CFiles", apt: "libc6-dev"),
        library("CImages", pkgConfig: "libpng", apt: "libpng-dev"),
        library("CLinux", apt: "libc6-dev"),
        library("CTSS2", pkgConfig: "tss2-esys", apt: "libtss2-dev"),
        library("CMagic", pkgConfig: "libmagic", apt: "libmagic-dev"),
        library("CSystemd", pkgConfig: "libsystemd", apt: "libsystemd-dev"),
        library("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        library("CSeccomp", apt: "linux-libc-dev"),
        library("CZBar", pkgConfig: "zbar", apt: "libzbar-dev"),
        library("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),

        // 1
        room("System", on: [], c: ["CFiles"]),
        room("Wire", on: []),

        // 2
        room("Crypto", on: ["System"], c: ["CArgon2", "CLibCrypto", "CLibSodium"]),
        room("Session", on: ["System"], c: ["CSystemd"]),
        room("Terminal", on: ["System"]),

        // 3
        room("Identity", on: ["Crypto", "Wire"]),
        room("JOSE", on: ["Crypto", "Wire"]),
        room("Files", on: ["Crypto", "Wire", "System"], c: ["CMagic"]),
        room("Enclave", on: ["Crypto", "Wire", "System"], c: ["CTSS2"]),
        room("OTP", on: ["Crypto"]),
        // Decoders of strangers' images: nothing depends on it but mildam-scan, so that no program with a secret has them.
        room("Scan", on: ["System"], c: ["CImages", "CSeccomp", "CZBar"]),
        room("Storage", on: ["Crypto", "System"], c: ["CSQLite"]),
        room("Transport", on: ["Crypto", "System"], c: ["CLibSSL", "CLinux"]),

        // 4
        room("Content", on: ["Identity", "Crypto", "Wire"]),
        room("GroupKey", on: ["Identity", "Crypto", "Wire"]),
        room("MLS", on: ["Crypto", "Wire"]),
        room("OneTimeCode", on: ["OTP", "Crypto", "Wire", "System"], c: ["CQREncode", "CZlib"]),
        room("Keychain", on: ["Enclave", "Files", "Storage", "Crypto", "Wire", "System"]),

        // 5
        room("ClientAPI", on: ["Identity", "Wire"]),
        room("GroupStore", on: ["MLS", "Storage", "Crypto", "Wire"]),
        room("RoomRules", on: ["MLS", "Identity", "Crypto", "Wire"]),
        room("RelayAPI", on: ["Identity", "Crypto", "Wire"], resources: [.embedInCode("OpenAPI/openapi.json")]),
        room("SecretService", on: ["Keychain", "Crypto"], c: ["CSecret"]),
        room("Security", on: ["Keychain", "Enclave", "Crypto", "Wire", "System"]),
        room(
            "Tokens",
            on: ["Keychain", "JOSE", "Enclave", "Transport", "Crypto", "Wire", "System"],
            c: ["CCurl"]
        ),

        // 6
        room("ClientCore", on: ["RoomRules", "Content", "MLS", "Identity", "Crypto", "Wire"]),
        room("Profile", on: ["Keychain", "OTP", "Enclave", "Storage", "Crypto", "System"]),
        room("Vault", on: ["Files", "Storage", "Crypto", "Wire", "System"]),

        // 7
        room(
            "ClientStore",
            on: [
                "ClientCore", "GroupStore", "RoomRules", "GroupKey", "MLS", "Identity", "Storage", "Crypto", "Wire",
            ]
        ),

        // 8
        room(
            "Messenger",
            on: [
                "ClientAPI", "ClientCore", "ClientStore", "GroupStore", "RoomRules", "Content", "MLS", "Profile",
                "GroupKey", "RelayAPI", "Identity", "JOSE", "Transport", "Files", "Storage", "Crypto", "Wire", "System",
            ]
        ),
        room(
            "Relay",
            on: [
                "RoomRules", "MLS", "RelayAPI", "Identity", "JOSE", "OTP", "Storage", "Transport", "Crypto", "Wire",
                "System",
            ]
        ),

        // 10
        program(
            "mildam",
            on: [
                "Messenger", "Profile", "Vault", "Tokens", "ClientAPI", "RelayAPI", "Keychain", "Enclave",
                "Identity", "Files", "Session", "OneTimeCode", "OTP", "Storage", "Terminal", "Crypto", "Wire", "System",
            ]
        ),
        // libsecret, and GLib with it, are in no program that has an open keychain.
        program("mildam-keyring", on: ["SecretService", "Keychain", "Crypto", "Terminal", "System"]),
        program("mildam-relay", on: ["Relay", "RelayAPI", "Identity", "Transport", "Terminal", "System"]),
        program("mildam-scan", on: ["Scan", "Terminal", "System"]),

        // Beside the house: tools, which nothing depends on
        .executableTarget(
            name: "mildam-demo",
            dependencies: ["MildamTerminal", "MildamOneTimeCode", "MildamOTP", "CZlib"],
            path: "Tools/Demo",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),

        .executableTarget(
            name: "mildam-echo",
            dependencies: ["MildamTransport"],
            path: "Tools/Echo",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),

        // The simulation: worlds of clients and a relay, from seeds
        .target(
            name: "MildamSimulate",
            dependencies: [
                "ClientCore", "Relay", "RelayAPI", "RoomRules", "Content", "MLS", "Identity", "Crypto", "Wire",
            ].map { .byName(name: "Mildam" + $0) },
            path: "Tools/Simulate",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "mildam-sim",
            dependencies: ["MildamSimulate", "MildamClientCore", "MildamTerminal"],
            path: "Tools/MildamSim",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),

        .target(
            name: "MLSInterop",
            dependencies: ["MildamMLS", "MildamCrypto", "MildamWire"],
            path: "Tools/MLSInterop",
            swiftSettings: settings
        ),
        .executableTarget(
            name: "mls-passive",
            dependencies: ["MLSInterop", "MildamTerminal"],
            path: "Tools/MLSPassive",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),

        .executableTarget(
            name: "mls-client",
            dependencies: ["MLSInterop"],
            path: "Tools/MLSClient",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),

        // Tests
        .target(name: "TestSupport", dependencies: ["MildamSystem"], path: "Tests/Support", swiftSettings: settings),
        .executableTarget(
            name: "mildam-system-program",
            dependencies: ["MildamSystem"],
            path: "Tests/SystemProgram",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(running: ["mildam-system-program"], of: "System", on: ["System"]),
        tests(of: "Session", on: ["System"]),
        tests(of: "Wire", data: ["cbor2_peer.py"]),
        tests(of: "Crypto", on: ["Wire"], c: ["CLibCrypto"], data: ["ECIES/ecies.py", "HPKE/hpke.py"]),
        tests(of: "Terminal"),
        tests(of: "Identity", on: ["Crypto", "Wire"]),
        .testTarget(
            name: "MildamMLSTests",
            dependencies: [
                "MildamMLS", "MildamCrypto", "MildamWire", "MLSInterop", "mls-client", "mls-passive", "TestSupport",
            ],
            path: "Tests/MLS",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(of: "JOSE", on: ["Crypto", "Wire"]),
        tests(of: "OTP", on: ["Crypto"]),
        tests(of: "OneTimeCode", on: ["OTP", "Crypto", "Wire", "System"]),
        tests(of: "Files", on: ["Crypto", "Wire", "System"]),
        .executableTarget(
            name: "mildam-enclave-worker",
            dependencies: ["Enclave", "Crypto"].map { .byName(name: "Mildam" + $0) },
            path: "Tests/EnclaveWorker",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(running: ["mildam-enclave-worker"], of: "Enclave", on: ["Enclave", "Crypto", "Wire", "System"]),
        tests(of: "Security", on: ["Keychain", "Enclave", "Crypto", "Wire"]),
        tests(of: "Storage", on: ["Crypto", "System"]),
        // What other tests need of it too is for tests alone, so it is a test target as well.
        .testTarget(
            name: "TransportSupport",
            dependencies: ["MildamTransport", "MildamSystem", "TestSupport"].map { .byName(name: $0) },
            path: "Tests/TransportSupport",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(
            running: ["mildam-echo"],
            of: "Transport",
            on: ["Transport", "Crypto", "System"],
            support: ["TransportSupport"]
        ),
        tests(of: "Content", on: ["Identity", "Crypto", "Wire"]),
        tests(of: "GroupKey", on: ["Identity", "Crypto", "Wire"], data: ["Vectors"]),
        .testTarget(
            name: "MildamGroupStoreTests",
            dependencies: [
                "MildamGroupStore", "MLSInterop", "MildamMLS", "MildamStorage", "MildamCrypto", "MildamWire",
                "TestSupport",
            ],
            path: "Tests/GroupStore",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        .executableTarget(
            name: "mildam-keychain-worker",
            dependencies: ["MildamKeychain"],
            path: "Tests/KeychainWorker",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(
            running: ["mildam-keychain-worker"],
            of: "Keychain",
            on: ["Keychain", "Enclave", "Files", "Storage", "Crypto", "Wire", "System"]
        ),
        .executableTarget(
            name: "mildam-profile-worker",
            dependencies: ["Profile", "Keychain", "System"].map { .byName(name: "Mildam" + $0) },
            path: "Tests/ProfileWorker",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(
            running: ["mildam-profile-worker"],
            of: "Profile",
            on: ["Profile", "Keychain", "OTP", "Enclave", "Storage", "Crypto", "System"]
        ),
        tests(of: "SecretService", on: ["Keychain", "Crypto", "System"]),
        tests(of: "RoomRules", on: ["MLS", "Identity", "Crypto", "Wire"], c: ["MLSInterop"]),
        tests(
            of: "ClientCore",
            on: [
                "ClientStore", "GroupStore", "RoomRules", "Content", "MLS", "Identity", "Storage", "Crypto", "Wire",
                "Simulate",
            ]
        ),
        .testTarget(
            name: "MildamSimulationTests",
            dependencies: [
                "mildam-sim", "MildamSimulate", "MildamClientCore", "MildamContent", "MildamIdentity",
                "MildamRoomRules", "TestSupport",
            ].map { .byName(name: $0) },
            path: "Tests/Simulation",
            exclude: ["Seeds"],
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(of: "ClientAPI", on: ["Identity", "Wire"]),
        tests(of: "RelayAPI", on: ["Identity", "Crypto", "Wire"]),
        .executableTarget(
            name: "mildam-tokens-worker",
            dependencies: ["Tokens", "Keychain", "System"].map { .byName(name: "Mildam" + $0) },
            path: "Tests/TokensWorker",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        .testTarget(
            name: "MildamTokensTests",
            dependencies: ["mildam-tokens-worker", "TestSupport"].map { .byName(name: $0) }
                + [
                    "Tokens", "Relay", "Keychain", "Identity", "JOSE", "Enclave", "Transport", "Crypto", "Wire",
                    "System",
                ].map { .byName(name: "Mildam" + $0) },
            path: "Tests/Tokens",
            exclude: ["oauth_server.py"],
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(
            of: "Relay",
            on: [
                "RoomRules", "MLS", "RelayAPI", "Identity", "JOSE", "OTP", "Storage", "Transport", "Crypto", "Wire",
                "System",
            ]
        ),
        tests(
            of: "Messenger",
            on: [
                "ClientAPI", "ClientCore", "ClientStore", "RoomRules", "Content", "MLS", "Profile", "Relay", "GroupKey",
                "RelayAPI", "Identity", "JOSE", "Transport", "Files", "Storage", "Crypto", "Wire", "System",
            ],
            c: ["HouseSupport"]
        ),

        tests(of: "Vault", on: ["Files", "Storage", "Crypto", "Wire", "System"]),

        // The program that reads codes, its client, and one that enters the same confinement and tries to get out
        .executableTarget(
            name: "mildam-confined",
            dependencies: ["MildamScan"],
            path: "Tests/Confined",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        tests(
            running: ["mildam-scan", "mildam-confined"],
            of: "Scan",
            on: ["Scan", "OneTimeCode", "OTP", "Crypto", "System"],
            c: ["CQREncode", "CZlib"]
        ),

        // The whole house: real programs on loopback, and the relay and client that sync less, to show what that loses
        .executableTarget(
            name: "mildam-weakened",
            dependencies: [
                "Messenger", "ClientCore", "Content", "Profile", "Relay", "Identity", "Storage", "Transport",
            ].map {
                .byName(name: "Mildam" + $0)
            },
            path: "Tests/Weakened",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        // What they share is for tests alone, so it is a test target as well.
        .testTarget(
            name: "HouseSupport",
            dependencies: ["TestSupport"].map { .byName(name: $0) }
                + [
                    "ClientAPI", "Messenger", "ClientStore", "Content", "MLS", "Profile", "Keychain", "RelayAPI",
                    "Identity", "Transport", "Storage", "Crypto", "Wire", "System",
                ].map { .byName(name: "Mildam" + $0) },
            path: "Tests/HouseSupport",
            swiftSettings: settings,
            linkerSettings: boundAtStart
        ),
        house(
            "mildamTests",
            in: "mildam",
            running: ["mildam-keyring", "mildam-scan"],
            on: [
                "ClientAPI", "Messenger", "Security", "Keychain", "Enclave", "RelayAPI", "Identity", "JOSE", "OTP",
                "Transport", "Files", "Storage", "Crypto", "Wire", "System",
            ],
            support: ["TransportSupport"],
            data: ["Fixtures", "Transcripts", "Tasks", "typist.py"]
        ),
        house(
            "MildamAdversaryTests",
            in: "Adversary",
            on: [
                "ClientAPI", "Messenger", "RoomRules", "MLS", "RelayAPI", "Identity", "OTP", "Transport", "Files",
                "Crypto", "Wire", "System",
            ]
        ),
        house(
            "MildamDurabilityTests",
            in: "Durability",
            on: ["ClientAPI", "Messenger", "RelayAPI", "Identity", "Transport", "Storage", "Crypto", "Wire", "System"]
        ),
    ]
)
