// swift-tools-version: 6.2
import PackageDescription

// Measures Mildam from outside: a package of its own, so that nobody who builds Mildam builds this.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .strictMemorySafety(),
    .enableUpcomingFeature("ExistentialAny"),
    .enableExperimentalFeature("Lifetimes"),
]

func mildam(_ module: String) -> Target.Dependency { .product(name: "Mildam" + module, package: "mildam") }

let package = Package(
    name: "mildam-benchmarks",
    dependencies: [.package(name: "mildam", path: "..")],
    targets: [
        // SQLite's C interface, for the raw rate that the relay is held against.
        .systemLibrary(
            name: "CSQLitePeer",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        // What libcrypto and the disk give a C program that does nothing else.
        .systemLibrary(name: "CLibCryptoPeer", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "CSealPeer", dependencies: ["CLibCryptoPeer"]),
        // What the load comes through; Glibc's own module lacks it.
        .systemLibrary(name: "CEpoll"),
        // What rooms are measured with.
        .target(
            name: "RoomLoad",
            dependencies: [
                "ClientCore", "Content", "Crypto", "Identity", "MLS", "RoomRules", "System", "Wire",
            ].map(mildam),
            path: "Sources/RoomLoad",
            swiftSettings: settings
        ),
        // `make bench`
        .executableTarget(
            name: "mildam-bench",
            dependencies: ["CEpoll", "CSQLitePeer", "CSealPeer", "RoomLoad"]
                + [
                    "ClientCore", "ClientStore", "Content", "Crypto", "Enclave", "Files", "GroupStore", "Identity",
                    "JOSE", "Keychain", "MLS", "Messenger", "OTP", "Profile", "RelayAPI", "RoomRules", "Storage",
                    "System",
                    "Transport", "Vault", "Wire",
                ].map(mildam),
            path: "Sources/Bench",
            swiftSettings: settings
        ),
        // `make bench-check`
        .executableTarget(
            name: "mildam-hot-paths",
            dependencies: ["RoomLoad"]
                + [
                    "ClientCore", "Content", "Crypto", "GroupKey", "Identity", "MLS", "Relay", "RelayAPI", "Storage",
                    "Transport", "Wire",
                ].map(mildam),
            path: "Sources/HotPaths",
            swiftSettings: settings
        ),
    ]
)
