import MildamCrypto
import MildamSystem

/// What a key file under a passphrase holds.
protocol AgeLockedKey: Sendable {
    /// Whether a file may be for it. Of some, nobody knows before they are open.
    func mayOpen(_ header: AgeHeader) -> Bool

    /// The keys themselves.
    func identities(passphrase: borrowing SecretBytes) throws(AgeKeyLock) -> [any AgeIdentity]
}

/// The keys of a file that is under a passphrase, which is asked for where a file may be for them, and once.
final class AgeLockedIdentity: AgeIdentity {
    private let file: String
    private let key: any AgeLockedKey
    private let questions: AgeKeyQuestions
    /// The keys, once the passphrase was right.
    private let opened = Lock<[any AgeIdentity]?>(nil)

    /// - Parameter file: what the key file is called in questions and errors.
    init(_ key: any AgeLockedKey, file: String, questions: AgeKeyQuestions) {
        self.key = key
        self.file = file
        self.questions = questions
    }

    /// Unwraps the file key, if a stanza is for one of the keys.
    ///
    /// - Throws: `lockedKey`; what the keys throw.
    func unwrap(_ header: AgeHeader) throws(AgeError) -> AgeFileKey? {
        guard key.mayOpen(header) else { return nil }
        for identity in try identities() {
            if let fileKey = try identity.unwrap(header) { return fileKey }
        }
        return nil
    }

    /// Whoever comes while another is asked waits for that answer.
    private func identities() throws(AgeError) -> [any AgeIdentity] {
        try opened.withLock { (opened) throws(AgeError) -> [any AgeIdentity] in
            if let known = opened { return known }
            let identities = try unlock()
            opened = identities
            return identities
        }
    }

    private func unlock() throws(AgeError) -> [any AgeIdentity] {
        let passphrase = try questions.passphrase(of: file)
        do throws(AgeKeyLock) {
            return try key.identities(passphrase: passphrase)
        } catch {
            throw .lockedKey(file: file, error)
        }
    }
}
