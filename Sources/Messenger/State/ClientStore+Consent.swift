import FoundationEssentials
import MildamGroupKey
import MildamWire

/// Requests as they came: nothing in them is verified before a person asks for one.
extension ClientStore {
    /// What is remembered of whom this account lets write to it.
    func consent() throws(MessengerError) -> Consent { try record(.consent, []) ?? Consent() }

    /// The envelope of a request.
    func requested(_ number: Int64) throws(MessengerError) -> KeyEnvelope? {
        try record(.requestBody, Consent.name(of: number)).flatMap { try? KeyEnvelope(wireBytes: Array($0)) }
    }
}

extension Consent {
    /// How what a request came with is named in the store.
    static func name(of number: Int64) -> [UInt8] {
        var writer = WireWriter()
        writer.integer(UInt64(bitPattern: number))
        return writer.bytes
    }
}
