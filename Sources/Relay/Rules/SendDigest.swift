import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension GroupSendRequest {
    /// SHA-256 over what is sent, 32 bytes: two requests with one id are the same send when these are equal, whatever their sender
    /// had seen by then, and whatever links it shows.
    var digest: [UInt8] {
        let sent = GroupSendRequest(
            id: id,
            generation: generation,
            epoch: epoch,
            seen: 0,
            content: content,
            blobs: blobs
        )
        return Array(SHA256.hash(data: sent.wireBytes))
    }
}

extension GenerationRequest {
    /// The same for a room's next group, 32 bytes.
    var digest: [UInt8] {
        let sent = GenerationRequest(id: id, generation: generation, epoch: epoch, seen: 0, groupInfo: groupInfo)
        return Array(SHA256.hash(data: sent.wireBytes))
    }
}
