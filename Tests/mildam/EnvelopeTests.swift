import Foundation
import HouseSupport
import MildamIdentity
import TestSupport
import Testing

@Suite("The key of a room, for whom it is")
struct EnvelopeTests {
    /// With an invitation for the guest's device; with a new key for every device of those who stay, and no other.
    @Test func oneForEachDevice() async throws {
        let house = try await House.open()
        let proxy = try TamperingProxy.start(before: house.relay.url)
        let alice = house.person("alice", at: proxy.url)
        try await house.settle(alice)
        let guests = try await house.people("bob", "carol")
        let (bob, carol) = (guests[0], guests[1])
        func devices(_ people: Person...) async throws -> [DeviceID] {
            var devices: [DeviceID] = []
            for person in people { devices.append(try await person.account().device) }
            return devices.sorted { $0.description < $1.description }
        }
        var sealedFor: [DeviceID] { proxy.envelopes.map(\.device).sorted { $0.description < $1.description } }

        try await alice.done("room", "create", "kitchen")
        for guest in guests {
            proxy.forget()
            try await alice.done("room", "invite", "kitchen", guest.name)
            #expect(try await sealedFor == devices(guest))
            try await guest.join("kitchen")
        }
        proxy.forget()
        try await alice.done("room", "remove", "kitchen", "carol")
        #expect(try await sealedFor == devices(alice, bob))
        #expect(Set(proxy.envelopes.map(\.body)).count == 2)
        #expect(try await !sealedFor.contains(carol.account().device))
    }
}
