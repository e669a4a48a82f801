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
