import MildamIdentity
import MildamRelayAPI
import MildamRoomRules
import TestSupport
import Testing

@testable import MildamRelay

@Suite("Rooms that are MLS groups: whose messages were overtaken")
struct OvertakenRoomTests {
    private func sender() -> Sender { Sender(account: .random(), device: .random(), session: .random(), expires: .max) }

    private func request(generation: UInt32 = 0, epoch: UInt64) -> GroupSendRequest {
        GroupSendRequest(id: .random(), generation: generation, epoch: epoch, seen: 0, content: .application([1]))
    }

    /// Whether somebody may commit.
    private func mayCommit(_ sender: Sender, in room: RoomID, _ overtaken: OvertakenRooms, at now: UInt64) -> Bool {
        do throws(RoomRefusal) {
            try overtaken.check(commitBy: sender, in: room, at: now)
            return true
        } catch {
            return false
        }
    }

    @Test("a message of an epoch that is to come was overtaken by nothing")
    func laterEpochs() {
        let (slow, other, room) = (sender(), sender(), RoomID.random())
        let refusal = APIError(.staleEpoch, "the room has gone on", generation: 1, epoch: 7)
        func overtaken(by requests: [GroupSendRequest]) -> OvertakenRooms {
            let overtaken = OvertakenRooms()
            for request in requests { overtaken.note(.failure(refusal), of: request, by: slow, in: room, at: 1000) }
            return overtaken
        }
        for (generation, epoch) in [(1, 8), (1, 1 << 40), (2, 0)] as [(UInt32, UInt64)] {
            let later = request(generation: generation, epoch: epoch)
            #expect(mayCommit(other, in: room, overtaken(by: [later, later]), at: 1001), "\(later.epoch)")
        }
        for over in [request(generation: 1, epoch: 6), request(epoch: 1 << 40)] {
            let turn = overtaken(by: [over, over])
            #expect(!mayCommit(other, in: room, turn, at: 1001) && mayCommit(slow, in: room, turn, at: 1001))
            turn.note(.success(SendReceipt(number: 1)), of: over, by: slow, in: room, at: 1002)
            #expect(mayCommit(other, in: room, turn, at: 1003))
        }
    }

    @Test("the same over the relay: whoever makes epochs up keeps nobody from committing")
    func madeUpEpochs() async throws {
        let relay = try TestRelay()
        let (alice, bob) = (try await GroupMember("alice", on: relay), try await GroupMember("bobby", on: relay))
        let room = RoomID.random()
        var group = try alice.group(room)
        #expect(try await alice.create(room, group).status == 201)
        #expect(try await alice.add(bob, to: room, &group).status == 201)
        let lone = try LoneRoom(of: bob.person)
        for _ in 0..<3 {
            let answer = try await bob.send(.application(lone.message([1], epoch: 1 << 40)), to: room, epoch: 1 << 40)
            #expect(answer.apiError?.code == .staleEpoch)
        }
        let path = try alice.commit(&group)
        #expect(try await alice.send(path, to: room, epoch: 1).status == 201)
        await relay.server.stop()
    }

    @Test("where there are many rooms, the turns of the others stay")
    func manyRooms() {
        let overtaken = OvertakenRooms()
        let (slow, other, room) = (sender(), sender(), RoomID.random())
        for _ in 1..<OvertakenRooms.maximumRooms { overtaken.overtake(other, in: .random(), at: 1000) }
        for _ in 0..<OvertakenSenders.patience { overtaken.overtake(slow, in: room, at: 1001) }
        for _ in 0..<3 { overtaken.overtake(other, in: .random(), at: 1002) }
        #expect(!mayCommit(other, in: room, overtaken, at: 1003))
    }
}
