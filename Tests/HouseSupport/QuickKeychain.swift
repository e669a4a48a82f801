import MildamKeychain

/// Makes a profile's keychain that opens in a moment: `mildam keychain create` has each guess at the passphrase take half
/// a second, and so each unlocking. Tests of what a keychain does make theirs here.
///
/// - Parameter profile: the profile's folder.
package func makeKeychain(in profile: String, passphrase: String = "correct horse") async throws {
    let secret = SlotSecret.passphrase(SecretValue(text: passphrase))
    _ = try await LocalKeychain.create(at: profile + "/keychain.db", secret: secret, costs: .least)
}
