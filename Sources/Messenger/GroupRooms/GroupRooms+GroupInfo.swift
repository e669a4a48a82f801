import MildamClientCore
import MildamIdentity

/// What the relay asks each member of a room's present epoch (H10).
extension GroupRooms {
    /// The relay has GroupInfos of a room's epoch that differ: this device says which is its own. Which epoch that is, follows from
    /// what the relay told before; a device that has not read so far is in another one, and says nothing.
    func sayGroupInfo(of room: RoomID) {
        takeArrived()
        guard let known = present[room], let epoch = known.outline?.epoch ?? known.group?.publicGroup.context.epoch
        else { return }
        attempt([.groupInfoWanted(room, generation: known.generation, epoch: epoch)])
    }
}
