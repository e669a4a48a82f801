import MildamMessenger
import MildamTerminal

/// Logging in needs an account that was made in this profile.
struct NothingToLogInTo: EndsWithStatus, CustomStringConvertible {
    let exitStatus = ExitStatus.notFound
    let absent: AbsentAccount

    var description: String {
        "\(absent.found); an account's keys lie in the profile where it was made, and a second device cannot be added "
            + "yet: name that profile with --profile or MILDAM_HOME, or move its folder here, from the other machine "
            + "or a backup, while nothing runs there"
    }
}

extension Messenger {
    /// Wants an account that a session can be opened for.
    ///
    /// - Throws: `NothingToLogInTo`; what ``accountSummary()`` throws.
    func checkThereIsAccount() async throws {
        do throws(MessengerError) {
            _ = try await accountSummary()
        } catch {
            guard case .noAccount(let absent) = error else { throw error }
            throw NothingToLogInTo(absent: absent)
        }
    }
}
