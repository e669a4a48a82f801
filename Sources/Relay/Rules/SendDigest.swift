import MildamCrypto
import MildamIdentity
import MildamRelayAPI
import MildamWire

extension SendRequest {
    /// SHA-256 over every field: two requests with one id are the same send when these are equal.
    ///
    /// Taken over the fields, not over the JSON, whose order and spacing a client need not repeat.
    var digest: [UInt8] {
        var writer = WireWriter(capacity: body.count + 64)
        writer.integer(generation)
        writer.integer(epoch)
        writer.vector(UInt32.self, body)
        if let change {
            writer.text(UInt8.self, change.action.rawValue)
            writer.integer(change.after)
            writer.integer(UInt32(clamping: change.accounts.count))
            for account in change.accounts { account.encode(into: &writer) }
            for envelope in change.envelopes {
                envelope.account.encode(into: &writer)
                envelope.device.encode(into: &writer)
                writer.vector(UInt32.self, envelope.body)
            }
            // Nothing is added where there are none: the digests of sends from before there were links stay.
            if let links = change.links {
                writer.text(UInt8.self, "links")
                for link in links {
                    link.account.encode(into: &writer)
                    writer.vector(UInt32.self, link.secret)
                }
            }
        }
        return Array(SHA256.hash(data: writer.bytes))
    }

    /// What it is stored as: with a change it is about members.
    var kind: MessageKind { change == nil ? .application : .membership }
}

extension GroupSendRequest {
    /// SHA-256 over what is sent, 32 bytes: two requests with one id are the same send when these are equal, whatever their sender
    /// had seen by then.
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
