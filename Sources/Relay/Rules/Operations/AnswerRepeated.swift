import MildamIdentity
import MildamRelayAPI

/// Finds the number of something that was sent before, and is refused by now: its epoch is over.
struct AnswerRepeated: StoreOperation {
    let key: SentKey
    /// Of what is sent.
    let digest: [UInt8]
    /// What is answered where it was not.
    let refusal: APIError

    init(_ request: GroupSendRequest, to room: RoomID, by sender: Sender, refusal: APIError) {
        key = SentKey(room: room, device: sender.device, id: request.id)
        digest = request.digest
        self.refusal = refusal
    }

    init(_ request: GenerationRequest, of room: RoomID, by sender: Sender, refusal: APIError) {
        key = SentKey(room: room, device: sender.device, id: request.id)
        digest = request.digest
        self.refusal = refusal
    }

    var prefetch: [FactKey] { [.sent(key)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        guard let earlier = try facts.sent(key), earlier.digest == digest || earlier.digest.isEmpty else {
            return .failure(refusal)
        }
        return .success(SendReceipt(number: earlier.number))
    }
}
