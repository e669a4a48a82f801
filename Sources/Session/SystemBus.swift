import CSystemd
import Glibc
import MildamSystem

/// A connection with the system bus (D-Bus). It belongs to the thread that made it.
@safe
struct SystemBus: ~Copyable {
    private let handle: OpaquePointer

    /// Connects: to `DBUS_SYSTEM_BUS_ADDRESS`, or where the bus is usually.
    init() throws(BusError) {
        var opened: OpaquePointer?
        let code = unsafe sd_bus_open_system(&opened)
        guard code >= 0, let handle = unsafe opened else { throw BusError("reach the system bus", Self.reason(code)) }
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe sd_bus_close_unref(handle)
    }

    /// How long an answer may take, in microseconds.
    private static let patience: UInt64 = 5_000_000

    /// Calls a method that takes strings, and waits for its answer.
    func call(_ method: Method, _ arguments: String...) throws(BusError) -> BusMessage {
        var made: OpaquePointer?
        let failure = "call \(method.interface).\(method.member)"
        var code = unsafe sd_bus_message_new_method_call(
            handle,
            &made,
            method.destination,
            method.path,
            method.interface,
            method.member
        )
        guard code >= 0, let message = unsafe made else { throw BusError(failure, Self.reason(code)) }
        let request = unsafe BusMessage(owning: message)
        for argument in arguments { try request.append(argument) }
        var error = unsafe sd_bus_error()
        defer { unsafe sd_bus_error_free(&error) }
        var answer: OpaquePointer?
        code = unsafe sd_bus_call(handle, request.handle, Self.patience, &error, &answer)
        guard code >= 0, let reply = unsafe answer else {
            let said = unsafe error.message.map { unsafe String(cString: $0) }
            throw BusError(failure, said ?? Self.reason(code))
        }
        return unsafe BusMessage(owning: reply)
    }

    /// A method of an object.
    struct Method {
        let destination: String
        let path: String
        let interface: String
        let member: String
    }

    /// The next message that has come and is no answer; `nil` when there is none.
    ///
    /// - Throws: when the bus has gone.
    func next() throws(BusError) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            let code = unsafe sd_bus_process(handle, &message)
            guard code >= 0 else { throw BusError("hear the system bus", Self.reason(code)) }
            if let message = unsafe message { return unsafe BusMessage(owning: message) }
            if code == 0 { return nil }
        }
    }

    /// Waits until something has come from the bus.
    ///
    /// - Returns: `false` when it is time to end.
    func wait(unless end: StopSignal) throws(BusError) -> Bool {
        let events = unsafe sd_bus_get_events(handle)
        let number = unsafe sd_bus_get_fd(handle)
        guard events >= 0, number >= 0 else { throw BusError("hear the system bus", Self.reason(min(events, number))) }
        // Every call has been answered when this one waits: nothing of the bus's runs out meanwhile.
        var wanted = [
            pollfd(fd: number, events: Int16(events), revents: 0),
            pollfd(fd: end.number, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if unsafe poll(&wanted, 2, -1) > 0 { return wanted[1].revents == 0 }
            guard errno == EINTR else { throw BusError("hear the system bus", Self.reason(-errno)) }
        }
    }

    /// What a negative code means: "No such file or directory".
    static func reason(_ code: Int32) -> String {
        unsafe strerror(-code).map { unsafe String(cString: $0) } ?? "error \(-code)"
    }
}
