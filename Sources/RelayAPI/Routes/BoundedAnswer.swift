import MildamIdentity

/// An answer of a relay, which says whether its numbers and times can be counted on with, and its names can be kept.
///
/// Each type that answers in JSON has to say so, or its route does not compile: what a client adds to a number that it was
/// told, or keeps of a name, must not end the client. Whatever holds none, or one that is held against something narrower where
/// it is used, says `true`.
public protocol BoundedAnswer: Decodable {
    /// Whether every number, time and name in it is within ``Limits``.
    var isWithinBounds: Bool { get }
}

/// A relay's answer has a number, a time or a name that is beyond all bounds.
public struct OutOfBounds: Error, Equatable {
    /// What is thrown.
    public init() {}
}

extension Limits {
    /// The highest number of a message or a mailbox item. There is always a next one, also where numbers are stored with a
    /// sign.
    public static let number = UInt64(Int64.max) - 1
    /// The times that a relay may name, in seconds since 1970: up to the end of the year 9999.
    public static let seconds: ClosedRange<Int64> = 0...253_402_300_799
    /// The same in milliseconds.
    public static let milliseconds: ClosedRange<Int64> = 0...253_402_300_799_999
    /// How many bytes the name of a rule has that an error names. Clients keep it with what could not be said.
    public static let rule = 1...48
}

extension AuditLog: BoundedAnswer {
    /// Every line happened at a time.
    public var isWithinBounds: Bool { entries.allSatisfy { Limits.seconds.contains($0.time) } }
}

extension SessionList: BoundedAnswer {
    /// Each session began, and was refreshed, at a time.
    public var isWithinBounds: Bool {
        sessions.allSatisfy { Limits.seconds.contains($0.begun) && Limits.seconds.contains($0.refreshed) }
    }
}

extension SendReceipt: BoundedAnswer {
    /// There is a next number.
    public var isWithinBounds: Bool { number <= Limits.number }
}

extension RoomMessage: BoundedAnswer {
    /// There is a next number, it was stored at a time, and a digest is one.
    public var isWithinBounds: Bool {
        number <= Limits.number && Limits.milliseconds.contains(stored)
            && externalPub.map { $0.count == Limits.digest } ?? true
    }
}

extension LostNumbers: BoundedAnswer {
    /// It is a range of numbers, and there is a next one.
    public var isWithinBounds: Bool { first > 0 && first <= last && last <= Limits.number }
}

extension MessagePage: BoundedAnswer {
    /// There is a next number of each.
    public var isWithinBounds: Bool {
        first <= Limits.number && next <= Limits.number && (epoch ?? 0) <= Limits.number
            && messages.allSatisfy(\.isWithinBounds) && (lost ?? []).allSatisfy(\.isWithinBounds)
    }
}

extension RoomState: BoundedAnswer {
    /// There is a next number.
    public var isWithinBounds: Bool {
        first <= Limits.number && next <= Limits.number && (delivered ?? 0) <= Limits.number
    }
}

extension RoomList: BoundedAnswer {
    /// Each room is.
    public var isWithinBounds: Bool { rooms.allSatisfy(\.isWithinBounds) }
}

extension MailboxPage: BoundedAnswer {
    /// There is a next number of each.
    public var isWithinBounds: Bool {
        first <= Limits.number && next <= Limits.number && items.allSatisfy { $0.number <= Limits.number }
    }
}

extension APIErrorBody: BoundedAnswer {
    /// The error is, and what was missed.
    public var isWithinBounds: Bool { error.isWithinBounds && missed?.isWithinBounds ?? true }
}

extension APIError: BoundedAnswer {
    /// What it counts with is a number that has a next one, and the rule that it names has a plain name.
    public var isWithinBounds: Bool { (number ?? 0) <= Limits.number && rule.map { APIError.isPlain($0) } ?? true }

    /// Whether a name is one that a rule can have: letters, digits, `-` and `_` of ASCII.
    private static func isPlain(_ name: String) -> Bool {
        guard Limits.rule.contains(name.utf8.count) else { return false }
        return name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
    }
}

extension LiveEvent: BoundedAnswer {
    /// What it tells of is.
    public var isWithinBounds: Bool {
        switch self {
        case .message(_, let message): message.isWithinBounds
        case .behind(_, let number), .mailbox(let number): number <= Limits.number
        case .lost(_, let first, let last): first > 0 && first <= last && last <= Limits.number
        case .renewed(let time): Limits.seconds.contains(time)
        case .refused(let error): error.isWithinBounds
        case .hello, .removed, .generation, .groupInfo: true
        }
    }
}

// MARK: Held against something narrower where they are used

extension TokenAnswer: BoundedAnswer {
    /// How long a token lives is believed up to an hour, by whoever keeps it.
    public var isWithinBounds: Bool { true }
}

extension BlobState: BoundedAnswer {
    /// Sizes are held against the file's own.
    public var isWithinBounds: Bool { true }
}

extension LoginParameters: BoundedAnswer {
    /// Costs are held against what a client bears.
    public var isWithinBounds: Bool { true }
}

extension SecondFactorState: BoundedAnswer {
    /// How many codes are left is shown, and counted on with nowhere.
    public var isWithinBounds: Bool { true }
}

extension KeyPackageCount: BoundedAnswer {
    /// How many are left is compared with few.
    public var isWithinBounds: Bool { true }
}

// MARK: Without numbers of the relay's own

extension RelayDescription: BoundedAnswer {
    /// It has none.
    public var isWithinBounds: Bool { true }
}

extension AccountBundle: BoundedAnswer {
    /// Numbers and times in records are under signatures, and read where those are checked.
    public var isWithinBounds: Bool { true }
}

extension AccountAnswers: BoundedAnswer {
    /// There are no more than can be asked for.
    public var isWithinBounds: Bool { accounts.count <= Limits.queriedAccounts }
}

extension StandingList: BoundedAnswer {
    /// It has none.
    public var isWithinBounds: Bool { true }
}

extension SecondFactorSecret: BoundedAnswer {
    /// It has none.
    public var isWithinBounds: Bool { true }
}

extension RecoveryCodes: BoundedAnswer {
    /// It has none.
    public var isWithinBounds: Bool { true }
}

extension ServerMetadata: BoundedAnswer {
    /// It has none.
    public var isWithinBounds: Bool { true }
}
