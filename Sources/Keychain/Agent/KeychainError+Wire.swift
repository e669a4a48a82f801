import MildamEnclave
import MildamWire

/// ```
/// struct { uint8 code; opaque text<0..4096>; uint64 number; } KeychainError;
/// ```
/// What a program can do nothing about but show it travels as its description. A text or a number that an error has not
/// is empty or zero.
extension KeychainError: WireEncodable, WireDecodable {
    private static let maximumText = 4096

    /// Appends the error; a text is cut behind its last character that fits.
    public func encode(into writer: inout WireWriter) {
        let (code, text, number) = parts
        writer.integer(code)
        writer.text(UInt16.self, text.cut(to: Self.maximumText))
        writer.integer(UInt64(bitPattern: number))
    }

    private var parts: (UInt8, String, Int64) {
        switch self {
        case .duplicateItem: (1, "", 0)
        case .itemNotFound: (2, "", 0)
        case .invalidRequest(let reason): (3, reason, 0)
        case .locked: (4, "", 0)
        case .needsPassphrase: (5, "", 0)
        case .wrongSecret: (6, "", 0)
        case .tooManyTries(let seconds): (7, "", Int64(seconds))
        case .accessGroupDenied(let group): (8, group, 0)
        case .damagedItem(let number): (9, "", number)
        case .changedFromOutside(let reason): (10, reason, 0)
        case .rolledBack: (11, "", 0)
        case .noSuchSlot: (12, "", 0)
        case .lastSlot: (13, "", 0)
        case .alreadyExists(let path): (14, path, 0)
        case .noKeychain(let path): (15, path, 0)
        case .enclave(let reason): (16, reason, 0)
        case .storage(.damaged(let path, _)): (17, path, 0)
        case .storage(.full(let path)): (20, path, 0)
        case .storage(.readOnly(let path)): (21, path, 0)
        case .agent(let reason): (18, reason, 0)
        case .storage, .io, .foreignAgent: (18, description, 0)
        case .ambiguousItem(let numbers): (19, Self.text(of: numbers), 0)
        case .damagedPast(let number): (22, "", number)
        case .replaced(let path): (23, path, 0)
        case .changedMeanwhile: (24, "", 0)
        case .absentEnclave(let absence, let reason): (25, reason, absence.number)
        }
    }

    /// As many as the text of an error has room for, with a space between them.
    private static func text(of numbers: [Int64]) -> String {
        numbers.prefix(maximumText / 21).map(String.init).joined(separator: " ")
    }

    /// Reads an error.
    public init(from reader: inout WireReader) throws(WireError) {
        let code = try reader.integer(UInt8.self)
        let text = try reader.text(UInt16.self, in: 0...Self.maximumText)
        let number = Int64(bitPattern: try reader.integer(UInt64.self))
        switch code {
        case 1: self = .duplicateItem
        case 2: self = .itemNotFound
        case 3: self = .invalidRequest(reason: text)
        case 4: self = .locked
        case 5: self = .needsPassphrase
        case 6: self = .wrongSecret
        case 7: self = .tooManyTries(seconds: Int(clamping: number))
        case 8: self = .accessGroupDenied(group: text)
        case 9: self = .damagedItem(number: number)
        case 10: self = .changedFromOutside(reason: text)
        case 11: self = .rolledBack
        case 12: self = .noSuchSlot
        case 13: self = .lastSlot
        case 14: self = .alreadyExists(path: text)
        case 15: self = .noKeychain(path: text)
        case 16: self = .enclave(reason: text)
        case 17: self = .storage(.damaged(path: text, reason: "as the agent says"))
        case 18: self = .agent(reason: text)
        case 19: self = .ambiguousItem(numbers: text.split(separator: " ").compactMap { Int64($0) })
        case 20: self = .storage(.full(path: text))
        case 21: self = .storage(.readOnly(path: text))
        case 22: self = .damagedPast(number: number)
        case 23: self = .replaced(path: text)
        case 24: self = .changedMeanwhile
        case 25:
            guard let absence = EnclaveError.Absence(number: number) else { throw .invalidValue(field: "error") }
            self = .absentEnclave(absence, reason: text)
        default: throw .invalidValue(field: "error")
        }
        guard parts.1 == text, parts.2 == number else { throw .invalidValue(field: "error") }
    }
}

extension EnclaveError.Absence {
    /// What it is on the wire.
    fileprivate var number: Int64 {
        switch self {
        case .missing: 1
        case .notPermitted: 2
        case .noAnswer: 3
        }
    }

    fileprivate init?(number: Int64) {
        switch number {
        case 1: self = .missing
        case 2: self = .notPermitted
        case 3: self = .noAnswer
        default: return nil
        }
    }
}

extension String {
    /// As much of it as so many bytes of UTF-8 have room for.
    fileprivate func cut(to count: Int) -> String {
        guard var end = utf8.index(startIndex, offsetBy: count, limitedBy: endIndex) else { return self }
        while end.samePosition(in: unicodeScalars) == nil { utf8.formIndex(before: &end) }
        return String(self[..<end])
    }
}
