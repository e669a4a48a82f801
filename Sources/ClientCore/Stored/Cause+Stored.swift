import MildamWire

/// A cause as it is stored: which one it is, and the number that it has, or 0.
extension Cause {
    /// Reads a cause.
    init(stored reader: inout WireReader) throws(WireError) {
        let kind = try reader.integer(UInt8.self)
        let number = try reader.integer(UInt64.self)
        switch kind {
        case 1: self = .behindRetention(first: number)
        case 2: self = .commitNotProcessable(number: number)
        case 3: self = .ownStateOlder(number: number)
        case 4: self = .welcomeDoesNotOpen
        case 5: self = .differentHistory(number: number)
        case 6: self = .repeated
        case 7: self = .forged
        case 8: self = .mislabelled
        case 9: self = .newer
        case 10: self = .senderNoMember
        case 11: self = .ruleBroken
        case 12: self = .recordsDamaged
        case 13: self = .dueProposalRefused(number: number)
        case 14: self = .beforeComingIn
        case 15: self = .lostAtRestore
        default: throw .invalidValue(field: "cause")
        }
    }

    /// Appends the cause: 9 bytes.
    func store(into writer: inout WireWriter) {
        let (kind, number): (UInt8, UInt64) =
            switch self {
            case .behindRetention(let first): (1, first)
            case .commitNotProcessable(let number): (2, number)
            case .ownStateOlder(let number): (3, number)
            case .welcomeDoesNotOpen: (4, 0)
            case .differentHistory(let number): (5, number)
            case .repeated: (6, 0)
            case .forged: (7, 0)
            case .mislabelled: (8, 0)
            case .newer: (9, 0)
            case .senderNoMember: (10, 0)
            case .ruleBroken: (11, 0)
            case .recordsDamaged: (12, 0)
            case .dueProposalRefused(let number): (13, number)
            case .beforeComingIn: (14, 0)
            case .lostAtRestore: (15, 0)
            }
        writer.integer(kind)
        writer.integer(number)
    }
}
