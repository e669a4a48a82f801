import CSystemd
import Glibc
import MildamSystem

/// systemd-logind, as far as this process listens to it (org.freedesktop.login1(5)).
struct LoginManager: ~Copyable {
    private let bus: SystemBus
    /// The manager's unique name on the bus: what others send in its name is not heard.
    private let owner: String

    private static let name = "org.freedesktop.login1"
    private static let path = "/org/freedesktop/login1"
    private static let managerInterface = "org.freedesktop.login1.Manager"
    private static let sessionInterface = "org.freedesktop.login1.Session"
    private static let propertiesInterface = "org.freedesktop.DBus.Properties"
    private static let busName = "org.freedesktop.DBus"

    /// The signals that are wanted.
    private static let rules = [
        "sender='\(name)',path='\(path)',interface='\(managerInterface)',member='PrepareForSleep'",
        "sender='\(name)',path_namespace='\(path)/session',interface='\(sessionInterface)',member='Lock'",
        "sender='\(name)',path_namespace='\(path)/session',interface='\(propertiesInterface)',member='PropertiesChanged'",
        "sender='\(busName)',interface='\(busName)',member='NameOwnerChanged',arg0='\(name)'",
    ]

    /// What the manager has told.
    enum Notice: Equatable {
        case prepareForSleep(Bool)
        /// The session at this path is, or was, locked.
        case lock(session: String, Bool)
        /// The manager has ended, or another took its name.
        case gone
        /// Something else.
        case other
    }

    /// Connects, and listens.
    init() throws(BusError) {
        let bus = try SystemBus()
        // First of all: nothing that happens from here on is missed.
        for rule in Self.rules { _ = try bus.call(Self.busMethod("AddMatch"), "type='signal'," + rule) }
        owner = try bus.call(Self.busMethod("GetNameOwner"), Self.name).string()
        self.bus = bus
    }

    private static func busMethod(_ member: String) -> SystemBus.Method {
        SystemBus.Method(destination: busName, path: "/org/freedesktop/DBus", interface: busName, member: member)
    }

    /// Has the machine wait before it sleeps, until what is returned is closed, and for some seconds at most.
    func delaySleep() throws(BusError) -> Descriptor {
        let method = SystemBus.Method(
            destination: Self.name,
            path: Self.path,
            interface: Self.managerInterface,
            member: "Inhibit"
        )
        return try bus.call(method, "sleep", "mildam", "Keys are dropped before the machine sleeps", "delay")
            .descriptor()
    }

    /// Whether a session is one of this process's user; `nil` when the manager does not say.
    func isOwn(session path: String) -> Bool? {
        let method = SystemBus.Method(
            destination: Self.name,
            path: path,
            interface: Self.propertiesInterface,
            member: "Get"
        )
        do throws(BusError) {
            let answer = try bus.call(method, Self.sessionInterface, "User")
            guard try answer.enter(SD_BUS_TYPE_VARIANT, "(uo)"), try answer.enter(SD_BUS_TYPE_STRUCT, "uo") else {
                return nil
            }
            return try answer.number() == getuid()
        } catch {
            return nil
        }
    }

    /// The next that the manager has told; `nil` when there is nothing more.
    func next() throws(BusError) -> Notice? {
        guard let message = try bus.next() else { return nil }
        switch (message.sender, message.interface, message.member) {
        case (owner, Self.managerInterface, "PrepareForSleep"):
            return .prepareForSleep(try message.boolean())
        case (owner, Self.sessionInterface, "Lock"):
            return message.path.map { .lock(session: $0, true) } ?? .other
        case (owner, Self.propertiesInterface, "PropertiesChanged"):
            guard let path = message.path, let isLocked = try Self.lockedHint(in: message) else { return .other }
            return .lock(session: path, isLocked)
        case (Self.busName, Self.busName, "NameOwnerChanged"):
            return .gone
        default:
            return .other
        }
    }

    /// Waits until there may be something more; see `SystemBus.wait`.
    func wait(unless end: StopSignal) throws(BusError) -> Bool { try bus.wait(unless: end) }

    /// What a session's LockedHint has become; `nil` when the message is about something else.
    private static func lockedHint(in message: borrowing BusMessage) throws(BusError) -> Bool? {
        guard try message.string() == sessionInterface, try message.enter(SD_BUS_TYPE_ARRAY, "{sv}") else { return nil }
        while try message.enter(SD_BUS_TYPE_DICT_ENTRY, "sv") {
            if try message.string() == "LockedHint" {
                return try message.enter(SD_BUS_TYPE_VARIANT, "b") ? message.boolean() : nil
            }
            try message.skip("v")
            try message.leave()
        }
        return nil
    }
}
