#if MUTANTS
import Glibc

/// In a build with mutants: the one mistake that is made in this run.
private let planted: PlantedFault? = {
    guard let name = unsafe getenv("MILDAM_CLIENT_MUTANT").flatMap({ unsafe String(validatingCString: $0) }) else {
        return nil
    }
    guard let fault = PlantedFault(rawValue: name) else {
        print("MILDAM_CLIENT_MUTANT: there is no fault \(name)")
        exit(2)
    }
    return fault
}()
#endif

/// Mistakes that the simulation has to find.
///
/// Built with `-D MUTANTS`, the one that `MILDAM_CLIENT_MUTANT` names is made; in every other build, none.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// A commit of one's own counts when it is sent, and not when it is read under its number.
    case mergesBeforeOrder
    /// What is wished is forgotten when a message for it is sent.
    case forgetsIntentAtSend
    /// A message of one's own that one does not know means nothing.
    case overlooksOwnMessages
    /// That somebody leaves is passed over.
    case ignoresLeavers
    /// A device comes back before it has read the log to its end.
    case repairsDuringCatchUp
    /// A commit is judged by the device lists that one knows.
    case judgesByList
    /// Something is sealed before the log was read to its end.
    case sendsBeforeReading
    /// A list revokes leaves that are newer than the list.
    case dropsSince
    /// A relay that was put back gives numbers to other messages than those that members know under them.
    case givesNumbersTwice
    /// The private part of a key package stays when its Welcome was opened.
    case forgetsToErase
    /// A joiner's running hash begins with nothing, and not with what members state.
    case beginsHistoryAnew
    /// What is said to a device that is in a room is shown as said before it came in.
    case comesInAlways
    /// What was typed and cannot be said is told to have failed, and not kept.
    case forgetsWhatWasTyped

    /// Whether it is made.
    package var isPresent: Bool {
        #if MUTANTS
        return self == planted
        #else
        return false
        #endif
    }
}
