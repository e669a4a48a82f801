import CSecret
import Glibc
import MildamCrypto
import MildamKeychain

/// The items of a desktop's keyring, GNOME Keyring or KWallet, through the Secret Service
/// (specifications.freedesktop.org/secret-service, version 0.2) and libsecret.
///
/// A target of its own, so that who only needs a keychain does not load GLib.
public enum SecretServiceImport {
    /// Reads every item of every collection. What is locked is reported as such, and nobody is asked to unlock it.
    ///
    /// Blocks, as D-Bus does: a service that has to be started first takes some seconds.
    ///
    /// - Throws: `noSessionBus`, `refused`, `transfer`.
    public static func read() throws(SecretServiceError) -> ImportedLogins {
        guard hasSessionBus else { throw .noSessionBus }
        guard let bus = unsafe g_bus_get_sync(Int32(sessionBus), nil, nil) else {
            throw .refused("nobody answers on the session bus")
        }
        defer { unsafe g_object_unref(UnsafeMutableRawPointer(bus)) }
        // GLib ends the process with its connection unless it is told otherwise.
        unsafe g_dbus_connection_set_exit_on_close(bus, 0)
        guard let service = unsafe secret_service_get_sync(Int32(secretServiceWithCollections), nil, nil)
        else {
            throw .refused("no keyring answers on the session bus")
        }
        defer {
            unsafe g_object_unref(UnsafeMutableRawPointer(service))
            secret_service_disconnect()
        }
        var result = ImportedLogins()
        let collections = unsafe secret_service_get_collections(service)
        defer { unsafe g_list_free_full(collections) { unsafe g_object_unref($0) } }
        var node = unsafe collections
        while let current = unsafe node {
            if let collection = unsafe current.pointee.data { unsafe try read(OpaquePointer(collection), &result) }
            unsafe node = current.pointee.next
        }
        return result
    }

    private static func read(_ collection: OpaquePointer, _ result: inout ImportedLogins) throws(SecretServiceError) {
        let folder = unsafe text(secret_collection_get_label(collection))
        guard unsafe secret_collection_load_items_sync(collection, nil, nil) != 0 else {
            throw .refused("it does not list what is in \(folder)")
        }
        let items = unsafe secret_collection_get_items(collection)
        defer { unsafe g_list_free_full(items) { unsafe g_object_unref($0) } }
        var node = unsafe items
        while let current = unsafe node {
            if let item = unsafe current.pointee.data {
                let row = unsafe row(OpaquePointer(item), result.rows.count + 1, folder)
                do throws(TransferError) { try result.append(row) } catch { throw .transfer(error) }
            }
            unsafe node = current.pointee.next
        }
    }

    private static func row(_ item: OpaquePointer, _ position: Int, _ folder: String) -> ImportedLogins.Row {
        let label = unsafe text(secret_item_get_label(item))
        guard unsafe secret_item_get_locked(item) == 0, unsafe secret_item_load_secret_sync(item, nil, nil) != 0,
            let value = unsafe secret_item_get_secret(item)
        else { return .refused(position: position, name: label, reason: .locked) }
        defer { unsafe secret_value_unref(UnsafeMutableRawPointer(value)) }
        var count = 0
        guard let start = unsafe secret_value_get(value, &count), count <= SecretValue.maximumSize else {
            return .refused(position: position, name: label, reason: .tooLarge)
        }
        let secret = unsafe SecretValue(copying: UnsafeRawBufferPointer(start: start, count: count))
        let described = unsafe SecretServiceAttributes(attributes(of: item))
        return .login(described.login(position, label: label, folder: folder, secret))
    }

    private static func attributes(of item: OpaquePointer) -> [String: String] {
        guard let table = unsafe secret_item_get_attributes(item) else { return [:] }
        defer { unsafe g_hash_table_unref(table) }
        var attributes: [String: String] = [:]
        var entries = unsafe GHashTableIter()
        unsafe g_hash_table_iter_init(&entries, table)
        var key: UnsafeMutableRawPointer?
        var value: UnsafeMutableRawPointer?
        while unsafe g_hash_table_iter_next(&entries, &key, &value) != 0 {
            guard let name = unsafe key, let content = unsafe value else { continue }
            let text = unsafe String(cString: content.assumingMemoryBound(to: CChar.self))
            unsafe attributes[String(cString: name.assumingMemoryBound(to: CChar.self))] = text
        }
        return attributes
    }

    /// Whether there is a bus to connect to: otherwise GLib would try to start one.
    private static var hasSessionBus: Bool {
        if let address = unsafe getenv("DBUS_SESSION_BUS_ADDRESS") { return unsafe address.pointee != 0 }
        guard let folder = unsafe getenv("XDG_RUNTIME_DIR") else { return false }
        return unsafe access(String(cString: folder) + "/bus", F_OK) == 0
    }

    /// A text that is the caller's to free.
    private static func text(_ pointer: UnsafeMutablePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        defer { unsafe g_free(pointer) }
        return unsafe String(cString: pointer)
    }
}
