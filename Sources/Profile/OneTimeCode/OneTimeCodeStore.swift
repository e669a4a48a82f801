import FoundationEssentials
import MildamCrypto
import MildamKeychain
import MildamOTP

/// Tokens in a keychain: each is a generic password of the service "one-time code", whose secret is its `otpauth://` URI.
public struct OneTimeCodeStore: Sendable {
    /// The service of the items.
    public static let service = "one-time code"
    private let keychain: any KeychainWithPast

    /// The tokens in a keychain.
    public init(keychain: any KeychainWithPast) { self.keychain = keychain }

    /// A token that is kept.
    public struct Entry: Sendable {
        let reference: ItemReference
        /// The item's `modificationDate` when it was looked at, in milliseconds since 1970.
        let date: Int64
        /// The token.
        public let token: OneTimePassword

        /// "issuer: account".
        public var name: String { Self.name(token) }

        static func name(_ token: OneTimePassword) -> String {
            token.issuer.isEmpty
                ? token.account : token.account.isEmpty ? token.issuer : "\(token.issuer):\(token.account)"
        }
    }

    /// Keeps a token. One with the same name and the same secret is replaced, and kept as a former value. A counter never goes
    /// back: of two, the one that is further stays.
    ///
    /// - Throws: `AnotherToken` for the name of one with another secret: what a picture or a file says never costs anybody
    ///   a token that they have. `KeychainError.ambiguousItem` where several items have the name.
    public func keep(_ token: OneTimePassword) throws {
        var query = KeychainQuery.genericPassword(service: Self.service, account: Entry.name(token))
        query.synchronizable = .any
        let kept = try keychain.all(query, returningSecrets: true)
        var new = token
        for item in kept {
            guard let old = try Self.token(of: item), old.secret == token.secret else {
                throw AnotherToken(name: Entry.name(token))
            }
            new = new.counting(from: old)
        }
        guard let item = kept.first else {
            try keychain.add(Self.item(new))
            return
        }
        guard kept.count == 1 else { throw KeychainError.ambiguousItem(numbers: kept.map(\.reference.number)) }
        // A code that is asked for meanwhile moves the counter.
        let change = ItemChange(secret: SecretValue(new.uriBytes))
        try keychain.replace(item.reference, change, unlessChangedSince: Self.date(of: item))
    }

    private static func date(of item: KeychainItem) -> Int64 { item.attributes.date(.modificationDate) ?? 0 }

    private static func item(_ token: OneTimePassword) -> NewItem {
        NewItem(
            .genericPassword,
            [
                .service: .text(service), .account: .text(Entry.name(token)),
                .label: .text(token.issuer.isEmpty ? token.account : token.issuer),
            ],
            secret: SecretValue(token.uriBytes)
        )
    }

    /// The item of an imported login's one-time codes: a token like any other or, where what the file has is none, a field
    /// that says it.
    public static func item(_ login: ImportedLogin, _ text: SecretValue) -> NewItem? {
        let token = text.withSpan { text -> OneTimePassword? in
            if let token = try? OneTimePassword(uri: text) { return token }
            return try? OneTimePassword(base32: text, issuer: login.title, account: login.username)
        }
        if let token { return item(token) }
        var field = login.oneTimeCodeItem(text)
        field?.attributes[.service] = .text(ImportedLogin.service(ofField: ImportedLogin.oneTimeCodeService))
        return field
    }

    /// What an import that replaces items does with a token that counts: of its counter and that of the token that is kept,
    /// which has the same secret, the one that is further stays. `nil` for any other item.
    public static func joining(_ item: NewItem) -> ((SecretValue) -> SecretValue)? {
        guard item.itemClass == .genericPassword, item.attributes.text(.service) == service,
            let new = token(in: item.secret), case .hotp = new.kind
        else { return nil }
        return { kept in
            guard let old = token(in: kept) else { return item.secret }
            let joined = new.counting(from: old)
            return joined == new ? item.secret : SecretValue(joined.uriBytes)
        }
    }

    /// Every token, by name, and the accounts of items that somebody put beside them and that are none.
    public func all() throws -> (tokens: [Entry], others: [String]) {
        var query = KeychainQuery(.genericPassword, [.service: .text(Self.service)])
        query.synchronizable = .any
        var tokens: [Entry] = []
        var others: [String] = []
        for item in try keychain.all(query, returningSecrets: true) {
            if let token = try Self.token(of: item) {
                tokens.append(Entry(reference: item.reference, date: Self.date(of: item), token: token))
            } else {
                others.append(item.attributes.text(.account) ?? "")
            }
        }
        return (tokens.sorted { $0.name < $1.name }, others)
    }

    /// The token of an item; `nil` when what it holds is none.
    private static func token(of item: KeychainItem) throws -> OneTimePassword? {
        guard let secret = item.secret else { throw KeychainError.itemNotFound }
        return token(in: secret)
    }

    private static func token(in secret: SecretValue) -> OneTimePassword? {
        secret.withSpan { text -> OneTimePassword? in try? OneTimePassword(uri: text) }
    }

    /// The one token that is meant.
    public func find(_ name: String) throws -> Entry {
        let entries = try all().tokens
        if let exact = entries.first(where: { $0.name == name }) { return exact }
        let wanted = name.lowercased()
        let found = entries.filter { $0.name.lowercased().contains(wanted) }
        guard let first = found.first else { throw NoToken(name: name) }
        guard found.count == 1 else { throw AmbiguousToken(name: name, candidates: found.map(\.name)) }
        return first
    }

    /// Removes a token, and keeps it for a while.
    @discardableResult
    public func remove(_ entry: Entry) throws -> PastItem { try keychain.trash(entry.reference) }

    /// How often one call tries to count, while others are faster.
    private static let attempts = 100

    /// Counts, where the token does.
    ///
    /// - Returns: the token whose code may be shown. The kept counter has gone past it, and no other call, of this program
    ///   or another, gets the same: who is slower gets the next.
    /// - Throws: `SpentToken`. `KeychainError`: `itemNotFound` when the token was removed meanwhile; `changedMeanwhile` when it
    ///   became another, or others were faster a hundred times.
    @discardableResult
    public func advance(_ entry: Entry) throws -> OneTimePassword {
        guard case .hotp = entry.token.kind else { return entry.token }
        var seen = entry
        for _ in 0..<Self.attempts {
            guard let next = seen.token.advanced() else { throw SpentToken(name: seen.name) }
            var query = KeychainQuery(seen.reference)
            // Only the item as it was looked at: each change gives it another date.
            query.attributes[.modificationDate] = .date(seen.date)
            do throws(KeychainError) {
                try keychain.update(query, ItemChange(secret: SecretValue(next.uriBytes)))
                return seen.token
            } catch .itemNotFound {
                seen = try again(seen)
            }
        }
        throw KeychainError.changedMeanwhile
    }

    /// A token as it is by now.
    private func again(_ entry: Entry) throws -> Entry {
        let item = try keychain.item(KeychainQuery(entry.reference))
        guard let token = try Self.token(of: item), token.secret == entry.token.secret else {
            throw KeychainError.changedMeanwhile
        }
        return Entry(reference: item.reference, date: Self.date(of: item), token: token)
    }
}

/// No token has this name.
public struct NoToken: Error, CustomStringConvertible {
    let name: String
    /// What happened, and what to do.
    public var description: String { "there is no token \(name); see `mildam otp list`" }
}

/// Several tokens have this in their name.
public struct AmbiguousToken: Error, CustomStringConvertible {
    let name: String
    let candidates: [String]
    /// What may be meant.
    public var description: String { "\(name) may be any of: \(candidates.joined(separator: ", "))" }
}

/// The counter of a token is at its end: its last code would come again and again.
public struct SpentToken: Error, CustomStringConvertible {
    let name: String
    /// What happened, and what to do.
    public var description: String { "the counter of the token \(name) is at its end; get a new token from its issuer" }
}

/// A token of this name is there, with another secret.
public struct AnotherToken: Error, CustomStringConvertible {
    let name: String
    /// What happened, and what to do.
    public var description: String {
        "there is another token \(name) already; keep this one under another name, or remove that one first"
    }
}
