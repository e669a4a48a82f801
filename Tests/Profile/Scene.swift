import Foundation
import MildamCrypto
import MildamKeychain
import MildamProfile
import TestSupport
import Testing

/// A profile in a folder of its own, and who is asked for what opens its keychain.
final class Scene: KeychainQuestions {
    let folder: TemporaryFolder
    let place: ProfilePlace
    /// What is answered.
    var passphrase = "correct horse"
    /// What was asked.
    private(set) var asked: [SlotKind] = []

    init() throws {
        folder = try TemporaryFolder()
        place = ProfilePlace(folder: folder.file("alice"))
    }

    func secret(of kind: SlotKind) -> SecretValue {
        asked.append(kind)
        return SecretValue(text: passphrase)
    }

    /// Makes a keychain, which is closed.
    func makeKeychain() async throws {
        let secret = SlotSecret.passphrase(SecretValue(text: passphrase))
        _ = try await LocalKeychain.create(at: place.keychain.path, secret: secret, costs: .least)
    }

    /// The profile, with the keychain opened by this program.
    func open() async throws -> OpenProfile { try await OpenProfile(at: place, asking: self) }

    /// What lies in the profile's folder.
    var files: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: place.folder)) ?? []) }

    func permissions(_ name: String) throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: place.folder + "/" + name)
        return attributes[.posixPermissions] as? Int
    }

    /// What the worker prints: a program of its own, which is the agent, too.
    func work(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) throws -> [String] {
        let result = try Program.run("mildam-profile-worker", arguments)
        try #require(result.status == 0, "\(result)", sourceLocation: sourceLocation)
        return result.output.split(separator: "\n").map(String.init)
    }

    /// How the worker prints a key.
    static func line(_ key: SymmetricKey) -> String { "key \(unsafe key.withUnsafeBytes { unsafe [UInt8]($0) })" }
}
