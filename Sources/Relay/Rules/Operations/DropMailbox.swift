import MildamRelayAPI

/// Drops what a device has stored for itself, up to and with a number.
struct DropMailbox: StoreOperation {
    let address: MailboxAddress
    let last: UInt64

    var prefetch: [FactKey] { [.device(address)] }

    func judge(_ facts: inout Facts, at now: Int64) throws(Missing) -> Result<Void, APIError> {
        guard var device = try facts.device(address) else {
            return .failure(APIError(.unauthorized, "there is no such device"))
        }
        let next = device.mailbox.upperBound
        guard last < next else {
            return .failure(APIError(.badRequest, "through is beyond the mailbox's last number", number: next - 1))
        }
        if last >= device.mailbox.lowerBound {
            device.mailbox = last + 1..<next
            facts.put(device, at: address)
            try Remains.mailbox(address).begin(&facts)
        }
        return .success(())
    }
}
