import MildamIdentity
import MildamMLS
import MildamRelayAPI
import MildamTransport
import MildamWire
import RoomLoad

/// A relay process of its own with one room and many members, each on a device that is logged in.
final class RelayUnderLoad: Sendable {
    /// How long each message is, in bytes, as the relay stores it.
    static let messageSize = 400

    let room: RoomID
    let members: [RoomHouse.Resident]
    private let house: RoomHouse
    private let epoch: UInt64
    /// Something said in the room's group. The relay cannot look into it: everybody sends the same, each time as another id.
    private let said: [UInt8]

    /// Starts the program `program` on a new folder and fills it.
    ///
    /// - Parameters:
    ///   - pinned: whether it gets the first core and no other.
    ///   - certificate: serves TLS with it.
    init(
        _ program: String,
        folder: String,
        members count: Int,
        pinned: Bool = false,
        certificate: TestCertificate? = nil
    ) async throws {
        let house = try await RoomHouse(program, folder: folder, pinned: pinned, certificate: certificate)
        let members = try await house.register("member", count: count)
        let (founder, room) = (members[0], RoomID.random())
        var group = try founder.member.group(room)
        try await house.make(room, of: group, by: founder)
        let guests = try members.dropFirst().map { try $0.member.keyPackage().keyPackage }
        if !guests.isEmpty {
            try await house.send(try RoomHouse.commit(&group, adding: guests), to: room, by: founder)
        }
        said = try Self.message(in: &group)
        epoch = group.publicGroup.context.epoch
        self.house = house
        self.members = members
        self.room = room
    }

    /// "127.0.0.1:PORT".
    var authority: String { house.authority }
    var port: UInt16 { house.port }
    var endpoint: Endpoint { house.endpoint }
    var tls: TLSClientConfiguration { house.tls }
    /// The relay's database.
    var database: String { house.database }
    /// Memory that the process has in use, in bytes.
    var residentBytes: Int { house.residentBytes }

    /// How many messages the room has before anything is measured.
    var messages: Int { members.count > 1 ? 1 : 0 }

    /// What is sent, as this id.
    func sending(as id: MessageID) -> GroupSendRequest {
        GroupSendRequest(id: id, generation: 0, epoch: epoch, seen: 0, content: .application(said))
    }

    /// A whole request that sends a message, and where in it the id stands: 16 bytes, to be replaced in each send.
    func request(by member: RoomHouse.Resident) throws -> (bytes: [UInt8], id: Int) {
        try house.request(sending(as: .random()), to: room, by: member)
    }

    /// Something said, of the size that is measured.
    private static func message(in group: inout Group) throws -> [UInt8] {
        let content = [UInt8](repeating: 7, count: messageSize)
        let sealing = try group.protect(content).wireBytes.count - messageSize
        let message = try group.protect(Array(content.dropLast(sealing))).wireBytes
        guard message.count == messageSize else { throw BenchError("a message of \(message.count) bytes") }
        return message
    }
}
