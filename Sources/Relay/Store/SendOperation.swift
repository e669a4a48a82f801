import FoundationEssentials
import MildamIdentity
import MildamRelayAPI

/// A send as it goes to the commit thread: everything that can be worked out before is.
struct SendOperation: Sendable {
    let room: RoomID
    let sender: Sender
    let request: SendRequest
    /// ``MildamRelayAPI/SendRequest/digest``, 32 bytes.
    let digest: [UInt8]

    init(_ request: SendRequest, to room: RoomID, by sender: Sender) {
        self.room = room
        self.sender = sender
        self.request = request
        digest = request.digest
    }
}
