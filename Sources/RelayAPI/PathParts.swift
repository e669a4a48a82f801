/// What stands between the slashes of a path behind "/v1": one to five parts.
struct PathParts: ~Escapable {
    /// The words that routes are made of.
    enum Word: String, CaseIterable {
        case relay, login, token, revocation, accounts, devices, sessions, current, others, account, password, deletion,
            removal, log, rooms, messages, blobs, content, mailbox, socket
        case secondFactor = "second-factor"
        case document = "openapi.json"
        /// Anything else.
        case other = ""

        init(_ part: Span<UInt8>) {
            for word in Self.allCases where word.matches(part) {
                self = word
                return
            }
            self = .other
        }

        private func matches(_ part: Span<UInt8>) -> Bool {
            let text = rawValue.utf8.span
            guard text.count == part.count else { return false }
            for index in text.indices where text[index] != part[index] { return false }
            return true
        }
    }

    private static let maximum = 5

    private let bytes: Span<UInt8>
    private var ends = InlineArray<5, Int>(repeating: 0)
    private var count = 0

    /// Finds the parts; `nil` when the path does not begin with "/v1/", or has too many.
    @_lifetime(copy path)
    init?(_ path: Span<UInt8>) {
        guard path.count >= 4, path[0] == UInt8(ascii: "/"), path[1] == UInt8(ascii: "v"),
            path[2] == UInt8(ascii: "1"), path[3] == UInt8(ascii: "/")
        else { return nil }
        bytes = path.extracting(4...)
        for index in 0...bytes.count where index == bytes.count || bytes[index] == UInt8(ascii: "/") {
            guard count < Self.maximum else { return nil }
            ends[count] = index
            count += 1
        }
    }

    /// A part that there is.
    subscript(index: Int) -> Span<UInt8> {
        @_lifetime(copy self)
        get { bytes.extracting((index == 0 ? 0 : ends[index - 1] + 1)..<ends[index]) }
    }

    /// The word that a part is; `nil` when there is no such part.
    func word(_ index: Int) -> Word? {
        guard index < count else { return nil }
        return Word(self[index])
    }
}
