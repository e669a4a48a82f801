import MildamClientCore
import MildamIdentity

/// What has to hold in every world: I after each event, Q when it is quiet.
package enum Check: String, CaseIterable, Sendable {
    /// No device takes for an account's what that account's device did not write.
    case i1AuthorsAreTrue = "I1"
    /// Nobody reads what was sealed in an epoch without a leaf of theirs.
    case i2OnlyMembersRead = "I2"
    /// Numbers and counters never go back.
    case i3NothingGoesBack = "I3"
    /// No key is used twice for sealing by a device that was not copied.
    case i4KeysAreUsedOnce = "I4"
    /// An acknowledged send is in the log.
    case i5AcknowledgedIsLogged = "I5"
    /// No client seals while it knows of a leaf that is revoked.
    case i6NothingToRevoked = "I6"
    /// What a step asks for never comes before it is stored.
    case i7StoredBeforeDone = "I7"
    /// What is stored is what is in memory.
    case i8DiskIsMemory = "I8"
    /// No client comes back before it has read the log to its end (H13).
    case i9RepairComesLast = "I9"
    /// No client waits for a leaf to go that its account's newest list, as the client knows it, does not revoke.
    case i10WaitingIsRight = "I10"
    /// Nothing is met that a world without liars does not have.
    case i11HonestCauses = "I11"
    /// The relay can read its store, and follow each group that it has taken.
    case i12RelayIsWhole = "I12"
    /// The private part of a key package is on no disk once its Welcome was opened.
    case i13KeysAreErased = "I13"
    /// All devices of a room are in one generation, epoch and authenticator, and so is the relay.
    case q1OneEpoch = "Q1"
    /// All read the same entries in the same order; no number means two things.
    case q2OneOrder = "Q2"
    /// Each wish is done, or failed and was told.
    case q3WishesAreOver = "Q3"
    /// Nothing acknowledged is missing at anybody who had a leaf, but for a cause that was told and can be: who was in the room did
    /// not come in later.
    case q4NothingMissing = "Q4"
    /// Who left, was removed, or has no account any more has no leaf.
    case q5GoneIsGone = "Q5"
    /// A device comes back at most once for one thing.
    case q6RepairsAreFew = "Q6"
    /// It is quiet ten minutes after the last fault.
    case q7QuietComes = "Q7"
    /// What was typed is in the log, or is kept where it could not be said; what a relay lost that was put back is said again.
    case q8TextIsKept = "Q8"
}

/// What did not hold.
package struct Failure: Hashable, Sendable {
    /// Which check.
    package let check: Check
    /// When, in milliseconds since the world began.
    package let at: UInt64
    /// With whom; 0 for the relay.
    package let person: UInt8
    /// Where.
    package let room: UInt8
    /// What happened.
    package let words: String
}

extension Failure: CustomStringConvertible {
    /// A line: "Q1 at 1234 s, person 3, room 1: …".
    package var description: String {
        "\(check.rawValue) at \(at / 1000) s, \(person == 0 ? "relay" : "person \(person)"), room \(room): \(words)"
    }
}
