// swift-tools-version: 6.2
import PackageDescription

// Throws bytes at everything that reads foreign ones: libFuzzer's targets, in one static library that `Scripts/fuzz`
// links with the fuzzer's own main.

/// With a fault planted in each target, to see that the fuzzer finds it.
nonisolated let planted: [SwiftSetting] =
    Context.environment["MILDAM_PLANTED_FAULT"] == nil ? [] : [.define("PLANTED_FAULT")]

let package = Package(
    name: "mildam-fuzz",
    products: [.library(name: "MildamFuzz", type: .static, targets: ["MildamFuzz"])],
    dependencies: [.package(name: "mildam", path: "..")],
    targets: [
        .target(
            name: "MildamFuzz",
            dependencies: [
                "ClientAPI", "Content", "Crypto", "Enclave", "Files", "GroupKey", "Identity", "JOSE", "Keychain", "MLS",
                "OTP", "OneTimeCode", "Relay", "RelayAPI", "RoomRules", "Scan", "Security", "Storage", "System",
                "Terminal",
                "Tokens", "Transport", "Vault", "Wire",
            ].map { .product(name: "Mildam" + $0, package: "mildam") },
            path: "Sources/Fuzz",
            swiftSettings: [
                .swiftLanguageMode(.v6),
                .strictMemorySafety(),
                .enableUpcomingFeature("ExistentialAny"),
                .enableExperimentalFeature("Lifetimes"),
            ] + planted
        )
    ]
)
