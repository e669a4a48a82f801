import MildamMessenger
import MildamProfile
import MildamSystem
import MildamTerminal

extension Action {
    /// Who is asked for what is only read: the profile's client; where none can be started since the disk takes nothing, the
    /// profile as it lies there.
    func reader() async throws -> any ClientAsking {
        do {
            return try await accountClient()
        } catch {
            let place = try place()
            guard let room = try? DiskRoom(at: place.folder),
                room.isReadOnly || room.freeBytes < Action.neededRoom
            else {
                throw error
            }
            let code = room.isReadOnly ? "read-only" : "not-stored"
            return try ProfileImage(of: OpenProfile(asOpenNow: place), because: code, Report.text(of: error))
        }
    }

    /// How many bytes a client needs on the disk to begin.
    private static let neededRoom = 1 << 20
}
