import MildamIdentity
import MildamRelayAPI

/// Finds the number of something that was sent before, and is refused by now: its epoch is over.
struct AnswerRepeated: StoreOperation {
    let key: SentKey
    /// Of the request.
    let digest: [UInt8]
    /// What is sent.
    let message: [UInt8]
    /// What is answered where it was not.
    let refusal: APIError

    init(_ request: GroupSendRequest, to room: RoomID, by sender: Sender, refusal: APIError) {
        key = SentKey(room: room, device: sender.device, id: request.id)
        digest = request.digest
        message = request.message
        self.refusal = refusal
    }

    init(_ request: GenerationRequest, of room: RoomID, by sender: Sender, refusal: APIError) {
        key = SentKey(room: room, device: sender.device, id: request.id)
        digest = request.digest
        message = request.groupInfo
        self.refusal = refusal
    }

    var prefetch: [FactKey] { [.sent(key)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<SendReceipt, APIError> {
        guard let earlier = try facts.sent(key), earlier.isOf(digest, message) else {
            return .failure(refusal)
        }
        return .success(SendReceipt(number: earlier.number))
    }
}
