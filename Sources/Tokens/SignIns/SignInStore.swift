import MildamEnclave
import MildamKeychain

/// Sign-ins in a keychain: of each one item with how it was set up, one with its tokens, which the manager writes, and one
/// with the client's secret, if it has one. Readable from the first unlocking on, and never part of an export, as a refresh
/// token that is used in two places is taken for stolen.
public struct SignInStore: Sendable {
    /// The service of the items.
    public static let service = "OAuth sign-in"
    private static let tokenService = "OAuth tokens"
    private static let secretService = "OAuth client secret"
    private static let accessibility = Accessibility.afterFirstUnlockThisDeviceOnly

    let keychain: any Keychain
    let folder: String
    let enclave: @Sendable () throws -> any Enclave

    /// The sign-ins in a keychain.
    ///
    /// - Parameters:
    ///   - locks: the folder of the locks between processes that use one sign-in.
    ///   - enclave: what makes the proofs of sign-ins that are bound to it; asked for when there is such a one.
    public init(keychain: any Keychain, locks: String, enclave: @escaping @Sendable () throws -> any Enclave) {
        self.keychain = keychain
        folder = locks
        self.enclave = enclave
    }

    /// A sign-in that is kept.
    public struct Entry: Sendable {
        /// The sign-in.
        public let signIn: SignIn
        /// The number of its item: no other has it as long as it stays.
        let number: Int64
    }

    /// Keeps a sign-in in the place of one of the same name.
    public func keep(_ signIn: SignIn, clientSecret: SecretValue?) throws -> Entry {
        let secrets = place(Self.secretService, signIn.name)
        if let clientSecret {
            try secrets.write(clientSecret, accessibility: Self.accessibility)
        } else {
            try secrets.remove()
        }
        try place(Self.service, signIn.name).write(value: signIn, accessibility: Self.accessibility)
        return try find(signIn.name)
    }

    /// The sign-in of a name.
    ///
    /// - Throws: `NoSignIn`; `DamagedSignIn`.
    public func find(_ name: String) throws -> Entry {
        let found = try keychain.all(.genericPassword(service: Self.service, account: name), returningSecrets: false)
        guard let item = found.first else { throw NoSignIn(name: name) }
        return Entry(signIn: try signIn(name), number: item.reference.number)
    }

    /// Every sign-in, by name, and the names of those that are damaged.
    public func all() throws -> (signIns: [SignIn], damaged: [String]) {
        var signIns: [SignIn] = []
        var damaged: [String] = []
        let items = try keychain.all(.genericPassword(service: Self.service), returningSecrets: false)
        for name in items.compactMap({ $0.attributes.text(.account) }).sorted() {
            do { signIns.append(try signIn(name)) } catch let error as DamagedSignIn { damaged.append(error.name) }
        }
        return (signIns, damaged)
    }

    /// The client's secret, if there is one.
    public func clientSecret(of signIn: SignIn) throws -> SecretValue? {
        try place(Self.secretService, signIn.name).read()
    }

    /// Where the manager keeps the tokens.
    func tokens(of signIn: SignIn) -> KeychainService {
        KeychainService(keychain, service: Self.tokenService, account: signIn.name, accessibility: Self.accessibility)
    }

    /// Removes everything of a name.
    public func remove(_ name: String) throws {
        for service in [Self.tokenService, Self.secretService, Self.service] { try place(service, name).remove() }
    }

    private func signIn(_ name: String) throws -> SignIn {
        do throws(KeychainError) {
            guard let signIn = try place(Self.service, name).read(SignIn.self) else { throw .itemNotFound }
            return signIn
        } catch {
            guard case .invalidRequest = error else { throw error }
            throw DamagedSignIn(name: name)
        }
    }

    private func place(_ service: String, _ account: String) -> KeychainEntry {
        keychain[.genericPassword(service: service, account: account)]
    }
}
