import MildamClientCore
import MildamIdentity

/// New keys of this device (H17): the account's list names them, and then each room gets them.
extension GroupRooms {
    /// Takes over who this device is by now: another program of this profile may have given it new keys.
    func learnDevice() async throws(MessengerError) {
        let device = try await messenger.roomProfile().device
        let known = stored.core.device.credential.record.claimed
        if device.credential.record.claimed.digest != known.digest { attempt([.device(device)]) }
    }

    /// The rooms that this device is in with other keys than it has now, once none is left or so many seconds are over.
    public func roomsWithOldKeys(within seconds: Int) async throws(RoomFault) -> Set<RoomID> {
        do throws(MessengerError) {
            try await learnDevice()
        } catch {
            throw RoomFault(error)
        }
        let end = ContinuousClock.now + .seconds(seconds)
        while !stored.core.roomsWithOldKeys.isEmpty, ContinuousClock.now < end {
            do { try await Task.sleep(for: .milliseconds(50)) } catch { break }
        }
        return stored.core.roomsWithOldKeys
    }
}
