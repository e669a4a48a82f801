import MildamRelayAPI

/// That a message is given back: the number that it had, and when it was stored.
struct GivenBack: Equatable, Sendable {
    let number: UInt64
    /// Milliseconds since 1970.
    let stored: Int64
}

extension SentFact {
    /// The answer to a message under an id that was used before.
    ///
    /// - Parameters:
    ///   - digest: of what is sent. What was given back has none: nobody knows all that once came with it.
    ///   - givenBack: where the message is given back.
    func answer(to digest: [UInt8], _ givenBack: GivenBack?) -> Result<SendReceipt, APIError> {
        let isTheSame = givenBack.map { $0.number == number } ?? (self.digest == digest || self.digest.isEmpty)
        guard isTheSame else {
            return .failure(APIError(.idReused, "this id was used for another message", number: number))
        }
        return .success(SendReceipt(number: number))
    }
}

extension Room {
    /// The room as a message finds it: behind what was lost, for something new; at its own number, for what is given back.
    ///
    /// - Parameter restored: what is known of the room, where the relay was put back not long ago.
    func readied(for givenBack: GivenBack?, in restored: RestoredRoom?) -> Result<Room, APIError> {
        if let givenBack {
            guard givenBack.number == next else { return .failure(.anotherIsDue) }
            return .success(self)
        }
        if restored?.isAwaited(in: self) == true { return .failure(.membersAreAwaited) }
        return .success(lostAhead.map { passing(over: $0) } ?? self)
    }
}

extension APIError {
    /// Another member was first: whoever gives back is told what the log has instead.
    static let anotherIsDue = APIError(.unavailable, "another message has just taken the number; try again")
}
