import FoundationEssentials
import MildamRelayAPI
import MildamWire

/// JSON of pages, written by hand: byte for byte what the general encoder writes, in a tenth of its time. A page is up to
/// 256 KiB of bodies, and whoever reads next waits for it.
struct PageText {
    private(set) var bytes: [UInt8] = []

    /// A page of messages.
    static func of(_ page: MessagePage) -> [UInt8] {
        var text = PageText(reserving: page.messages.lazy.map(\.body.count), beside: 256)
        text.append("{")
        if let epoch = page.epoch { text.append("\"epoch\":\(epoch),") }
        text.append("\"first\":\(page.first),")
        if let incarnation = page.incarnation { text.append("\"incarnation\":\"\(incarnation)\",") }
        if let lost = page.lost {
            let ranges = lost.map { "{\"first\":\($0.first),\"last\":\($0.last)}" }
            text.append("\"lost\":[\(ranges.joined(separator: ","))],")
        }
        text.append("\"messages\":[")
        for (index, message) in page.messages.enumerated() {
            if index > 0 { text.append(",") }
            text.append(message)
        }
        text.append("],\"next\":\(page.next)}")
        return text.bytes
    }

    /// What is served of accounts. A bundle is JSON already.
    static func of(_ accounts: [AccountRecords]) -> [UInt8] {
        var text = PageText(reserving: accounts.lazy.map(\.size), beside: 128)
        text.append("{\"accounts\":[")
        for (index, found) in accounts.enumerated() {
            text.append("\(index > 0 ? "," : ""){\"account\":\"\(found.account)\"")
            if let bundle = found.bundle {
                text.append(",\"bundle\":")
                text.bytes += bundle
            }
            if let closing = found.closing {
                text.append(",\"closing\":\"")
                Base64.standard.encode(closing.span, into: &text.bytes)
                text.append("\"")
            }
            text.append("}")
        }
        text.append("]}")
        return text.bytes
    }

    private init(reserving bodies: some Sequence<Int>, beside each: Int) {
        bytes.reserveCapacity(bodies.reduce(each) { $0 + $1 / 3 * 4 + each })
    }

    private mutating func append(_ text: String) { bytes += text.utf8 }

    private mutating func append(_ message: RoomMessage) {
        append("{\"account\":\"\(message.account)\",\"body\":\"")
        Base64.standard.encode(message.body.span, into: &bytes)
        append("\",\"device\":\"\(message.device)\",\"epoch\":\(message.epoch)")
        if let digest = message.externalPub {
            append(",\"externalPub\":\"")
            Base64.standard.encode(digest.span, into: &bytes)
            append("\"")
        }
        append(",\"generation\":\(message.generation)")
        if let id = message.id { append(",\"id\":\"\(id)\"") }
        append(",\"kind\":\"\(message.kind.rawValue)\",\"number\":\(message.number),\"stored\":\(message.stored)}")
    }
}
