import MildamKeychain
import MildamTerminal

/// What is looked at before a keychain gets another way to be opened: before anybody thinks of a new secret in vain.
extension Action {
    /// Throws where there are as many ways as there may be.
    func checkRoomForAnotherWay(into keychain: LocalKeychain) throws {
        let count = try keychain.slots().count
        guard count < LocalKeychain.maximumSlots else { throw TooManyWays(count: count) }
    }

    /// Throws where a passphrase or a PIN has a key that the way which was given does not reach, and so cannot pass on.
    ///
    /// - Parameters:
    ///   - replaced: kinds that are about to go.
    ///   - instead: what can be done without them.
    func checkReach(
        of way: SlotKind,
        beyond replaced: [SlotKind],
        in keychain: LocalKeychain,
        instead: String
    ) throws {
        guard !way.hasPasscode else { return }
        let kinds = try keychain.slots().map(\.kind)
        let holder = kinds.first { kind in kind.hasPasscode && !replaced.contains(kind) }
        if let holder { throw PasscodeOutOfReach(way: way, holder: holder, instead: instead) }
    }

    /// What a wrong passphrase, PIN or code ends with: only a way that the keychain has is advised.
    var wrongKeychainSecret: WrongKeychainSecret {
        // Where the code itself was wrong, it is no way out.
        let kinds = (try? LocalKeychain(path: keychainPath()).slots().map(\.kind)) ?? []
        let code = SlotKind.recoveryCode
        return WrongKeychainSecret(hasCode: kinds.contains(code) && invocation.value("with") != code.option)
    }
}

/// What was given does not open the keychain.
struct WrongKeychainSecret: EndsWithStatus, CustomStringConvertible {
    /// Whether a recovery code does, as far as is known.
    let hasCode: Bool

    var exitStatus: ExitStatus { KeychainError.wrongSecret.exitStatus }

    var description: String {
        let advice = "; where the passphrase is forgotten, `mildam keychain passphrase --with code` sets a new one"
        return KeychainError.wrongSecret.description + (hasCode ? advice : "")
    }
}

/// There are as many ways to open the keychain as there may be.
struct TooManyWays: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let count: Int

    var description: String {
        "there are \(count) ways to open the keychain already; take one away first, by `mildam keychain remove-slot`"
    }
}

/// What only a passphrase or a PIN opens has a key that the way which was given does not reach.
struct PasscodeOutOfReach: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.refused
    let way: SlotKind
    /// A way that reaches it.
    let holder: SlotKind
    /// What can be done without that.
    let instead: String

    var description: String {
        "what opens with the way \(holder.option) is not all in reach of the way \(way.option): give --with "
            + "\(holder.option); or \(instead)"
    }
}
