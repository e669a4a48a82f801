import MildamKeychain

/// The names of accessibilities on the command line.
enum KeychainWhen {
    private static let all: [(String, Accessibility)] = [
        ("unlocked", .whenUnlocked), ("first-unlock", .afterFirstUnlock),
        ("unlocked-this-device", .whenUnlockedThisDeviceOnly),
        ("first-unlock-this-device", .afterFirstUnlockThisDeviceOnly), ("passcode", .whenPasscodeSetThisDeviceOnly),
    ]

    static let names = all.map(\.0)

    static func accessibility(_ name: String) -> Accessibility? { all.first { $0.0 == name }?.1 }
    static func name(_ accessibility: Accessibility) -> String { all.first { $0.1 == accessibility }?.0 ?? "" }
}
