import MildamClientAPI
import MildamIdentity

extension [RoomRow] {
    /// What is said where another room has a name already; `nil` where none has. Rooms that one is in no more do not count.
    ///
    /// - Parameter room: the one that has just got it.
    func namesake(called name: String, besides room: RoomID) -> String? {
        let other = first { $0.name == name && $0.room != room && !$0.isPast && $0.standing != .older }
        return other.map { "another room is called \(name): \($0.room); name the two by their ids" }
    }
}
