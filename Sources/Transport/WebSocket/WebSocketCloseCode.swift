/// Which numbers may stand in a close frame (RFC 6455, section 7.4, and the registry it opened).
enum WebSocketCloseCode {
    static func isValid(_ code: UInt16) -> Bool {
        switch code {
        // 1004 is undefined; 1005, 1006 and 1015 are never sent.
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
