import MildamCrypto
import MildamRelayAPI

/// That a message is given back: the number that it had, and when it was stored.
struct GivenBack: Equatable, Sendable {
    let number: UInt64
    /// Milliseconds since 1970.
    let stored: Int64

    /// What stands in the place of its request's digest, 32 bytes: nobody knows all that once came with the message.
    static func digest(of message: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: Array("Mildam 1.0 message given back\n".utf8) + message))
    }
}

extension SentFact {
    /// The answer to a message under an id that was used before.
    ///
    /// - Parameters:
    ///   - digest: of the request.
    ///   - message: what is sent.
    ///   - givenBack: where the message is given back.
    func answer(
        to digest: [UInt8],
        sending message: [UInt8],
        _ givenBack: GivenBack?
    ) -> Result<SendReceipt, APIError> {
        guard givenBack.map({ $0.number == number }) ?? isOf(digest, message) else {
            return .failure(APIError(.idReused, "this id was used for another message", number: number))
        }
        return .success(SendReceipt(number: number))
    }

    /// Whether this is what was sent: the same request, or, where it was given back, the same message.
    ///
    /// Whoever gives something back says which id it had, and nothing shows whether that is so: no other message is to be taken
    /// for the one that is stored.
    func isOf(_ digest: [UInt8], _ message: [UInt8]) -> Bool {
        self.digest == digest || self.digest == GivenBack.digest(of: message)
    }
}

extension Room {
    /// The room as a message finds it: behind what was lost, for something new; at its own number, for what is given back.
    ///
    /// - Parameter restored: what is known of the room, where the relay was put back not long ago.
    func readied(for givenBack: GivenBack?, in restored: RestoredRoom?) -> Result<Room, APIError> {
        if let givenBack {
            guard givenBack.number == next else { return .failure(.anotherIsDue) }
            return next <= shown ? .success(self) : .failure(.nothingIsMissing)
        }
        if restored?.holdsUp(self) == true { return .failure(.membersAreAwaited) }
        return .success(lostAhead.map { passing(over: $0) } ?? self)
    }
}

extension APIError {
    /// Nobody has shown such a number, or it is not believed.
    static let nothingIsMissing = APIError(.badRequest, "the room lacks nothing under this number")

    /// Another member was first: whoever gives back is told what the log has instead.
    static let anotherIsDue = APIError(.unavailable, "another message has just taken the number; try again")
}
