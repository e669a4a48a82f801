import MildamIdentity

extension MessengerBook {
    /// Meets somebody by their handle.
    ///
    /// - Throws: as ``ContactService``.
    public func addContact(_ handle: Handle) async throws(RoomFault) -> MetContact {
        do throws(MessengerError) { return try await messenger.addContact(handle) } catch { throw RoomFault(error) }
    }

    /// Meets who made a link.
    ///
    /// - Throws: as ``ContactService``.
    public func addContact(by link: InviteLink) async throws(RoomFault) -> MetContact {
        do throws(MessengerError) { return try await messenger.addContact(by: link) } catch { throw RoomFault(error) }
    }

    /// Believes the key that somebody has now.
    ///
    /// - Throws: as ``ContactService``.
    public func accept(_ handle: Handle, fingerprint: String) async throws(RoomFault) -> ContactSummary {
        do throws(MessengerError) { return try await messenger.accept(handle, fingerprint: fingerprint) } catch {
            throw RoomFault(error)
        }
    }

    /// Makes a link.
    ///
    /// - Throws: as ``ContactService``.
    public func makeLink(days: Int64) async throws(RoomFault) -> (link: InviteLink, number: Int64) {
        do throws(MessengerError) { return try await messenger.makeLink(days: days) } catch { throw RoomFault(error) }
    }

    /// Takes links back.
    ///
    /// - Throws: as ``ContactService``.
    public func revokeLink(_ number: Int64?) async throws(RoomFault) -> Int {
        do throws(MessengerError) { return try await messenger.revokeLink(number) } catch { throw RoomFault(error) }
    }
}
