import CSystemd
import Glibc
import MildamSystem

/// A message of D-Bus, read from its start to its end.
///
/// libsystemd has checked it against its signature; what is read has to be what stands there.
@safe
struct BusMessage: ~Copyable {
    let handle: OpaquePointer

    /// Takes ownership of a message.
    init(owning handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
    }

    deinit {
        unsafe sd_bus_message_unref(handle)
    }

    /// Who sent it: the unique name that the bus gave them, and nobody else can have.
    var sender: String? { unsafe sd_bus_message_get_sender(handle).map { unsafe String(cString: $0) } }
    /// The object that a signal is about.
    var path: String? { unsafe sd_bus_message_get_path(handle).map { unsafe String(cString: $0) } }
    var interface: String? { unsafe sd_bus_message_get_interface(handle).map { unsafe String(cString: $0) } }
    var member: String? { unsafe sd_bus_message_get_member(handle).map { unsafe String(cString: $0) } }

    /// Adds a string to a message that is being written.
    func append(_ text: String) throws(BusError) {
        try check(unsafe sd_bus_message_append_basic(handle, CChar(SD_BUS_TYPE_STRING), text))
    }

    /// Reads a string ("s").
    func string() throws(BusError) -> String {
        var text: UnsafePointer<CChar>?
        try check(unsafe sd_bus_message_read_basic(handle, CChar(SD_BUS_TYPE_STRING), &text), least: 1)
        return unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    /// Reads a boolean ("b").
    func boolean() throws(BusError) -> Bool {
        var value: Int32 = 0
        try check(unsafe sd_bus_message_read_basic(handle, CChar(SD_BUS_TYPE_BOOLEAN), &value), least: 1)
        return value != 0
    }

    /// Reads a number of 32 bits ("u").
    func number() throws(BusError) -> UInt32 {
        var value: UInt32 = 0
        try check(unsafe sd_bus_message_read_basic(handle, CChar(SD_BUS_TYPE_UINT32), &value), least: 1)
        return value
    }

    /// Reads a descriptor ("h"), for the caller to keep.
    func descriptor() throws(BusError) -> Descriptor {
        var number: Int32 = -1
        try check(unsafe sd_bus_message_read_basic(handle, CChar(SD_BUS_TYPE_UNIX_FD), &number), least: 1)
        // The message closes its own.
        let copy = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw BusError("keep a descriptor", "\(SystemError.last("duplicate"))") }
        return Descriptor(owning: copy)
    }

    /// Enters an array, a structure, an entry of a dictionary or a variant.
    ///
    /// - Parameters:
    ///   - kind: `SD_BUS_TYPE_ARRAY` and its like.
    ///   - contents: the types in it.
    /// - Returns: whether there is one; `false` at the end of what it would stand in.
    func enter(_ kind: Int, _ contents: String) throws(BusError) -> Bool {
        let code = unsafe sd_bus_message_enter_container(handle, CChar(kind), contents)
        try check(code)
        return code > 0
    }

    /// Leaves what was entered, at its end.
    func leave() throws(BusError) {
        try check(unsafe sd_bus_message_exit_container(handle))
    }

    /// Passes over values of these types.
    func skip(_ types: String) throws(BusError) {
        try check(unsafe sd_bus_message_skip(handle, types))
    }

    private func check(_ code: Int32, least: Int32 = 0) throws(BusError) {
        guard code < least else { return }
        throw BusError("read a message of the system bus", SystemBus.reason(code < 0 ? code : -EBADMSG))
    }
}
