import MildamClientAPI

extension RoomRow {
    /// What the room is called, or its id.
    var title: String { name ?? "\(room)" }

    /// What it can be called in a shell, without quotation marks.
    var word: String {
        let isPlain = name?.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
            default: false
            }
        }
        return isPlain == true ? title : "\(room)"
    }
}
