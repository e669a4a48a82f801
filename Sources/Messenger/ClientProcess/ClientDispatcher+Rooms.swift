import MildamClientAPI
import MildamClientCore
import MildamIdentity
import MildamRoomRules

/// What is asked beside a room's own life: to look what is new, who somebody is, and to forget.
extension ClientDispatcher {
    /// Has everything taken in that the relay has by now.
    func refresh(within seconds: Int) async throws(RoomFault) -> ClientAnswer {
        let rooms = rooms
        let asked = Task { () -> RoomFault? in
            do throws(RoomFault) {
                try await rooms.refresh()
                return nil
            } catch {
                return error
            }
        }
        let patience = Task {
            try? await Task.sleep(for: .seconds(seconds))
            asked.cancel()
        }
        defer { patience.cancel() }
        if let fault = await asked.value { throw fault }
        return .done
    }

    /// Drops what is here of a room, its files that could not be sent, and how far it was read.
    func forget(_ room: RoomID) async throws(RoomFault) -> ClientAnswer {
        try await rooms.forget(room)
        try await view.files?.forgetFiles(of: room)
        try await book.forget(room)
        return .done
    }
}

extension FoundContact {
    init(_ found: FoundAccount) {
        self.init(
            handle: found.handle,
            account: found.account,
            fingerprint: found.fingerprint.description,
            isNew: found.isNew
        )
    }
}

extension MemberPolicy {
    init(_ policy: RoomPolicyBits) {
        self.init(
            invite: policy.contains(.membersInvite),
            remove: policy.contains(.membersRemove),
            describe: policy.contains(.membersDescribe)
        )
    }
}
