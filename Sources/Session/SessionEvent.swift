/// What happens to the machine, or to a session of this process's user, that a keeper of keys wants to know.
public enum SessionEvent: Sendable, Equatable {
    /// The machine is about to sleep. It waits for the handler where `SessionStatus` says so, some seconds at most
    /// (logind.conf(5), InhibitDelayMaxSec).
    case willSleep
    /// The machine has slept, or did not get to.
    case woke
    /// A session of the user's is being locked, or is locked. It may be told twice of one locking.
    case screenLocked
    /// A session of the user's is locked no more.
    case screenUnlocked
}
