import MildamCrypto
import MildamFiles
import MildamSystem

/// The items of a keychain in one encrypted file: an age file (C2SP age v1), under a passphrase or for recipients, so that
/// `age -d` opens it as well.
///
/// Its content is UTF-8 text in lines, each a JSON object (RFC 8259) and ended by a line feed:
/// ```
/// {"format":"mildam keychain bundle","version":1,"created":1790000000000}
/// {"class":"genp","accessible":"ak","group":"program:/usr/bin/mail","synchronizable":false,
///  "attributes":{"acct":"alice","svce":"mail","cdat":1790000000000},"secret":"c2VjcmV0"}     (one line)
/// {"items":1,"leftOut":0}
/// ```
/// `class` is `genp`, `inet`, `cert` or `keys`; `accessible` is `ak` (when unlocked) or `ck` (after first unlock). The
/// names of attributes are Apple's codes (``ItemAttribute``): texts are strings, data is base64 (RFC 4648, section 4) in a
/// string, numbers and dates (milliseconds since 1970) are numbers, flags are `true` or `false`. `secret` is base64. The
/// last line says how many items there are, and how many were left out because they stay on their device.
///
/// Both ways nothing of it is written to a file in clear: what is written is sealed in memory, 64 KiB at a time; what is
/// read is opened into secret memory, 64 MiB at most, and found whole before the first item is added.
public enum KeychainBundle {
    /// Writes a bundle, with permissions 0600.
    ///
    /// - Parameters:
    ///   - recipients: a passphrase (`AgeScryptRecipient`), or as many others as one likes.
    ///   - replacing: whether to take the place of what is at the path.
    ///   - clock: says when it was written.
    /// - Returns: how many items it has, and what was left out: what stays on this device, and what is damaged.
    /// - Throws: `keychain` when it is locked; `file`, `tooLarge`, `io`. Nothing is left then.
    public static func export(
        _ keychain: LocalKeychain,
        to path: String,
        recipients: [any AgeRecipient],
        replacing: Bool = false,
        clock: WallClock = .system
    ) throws(TransferError) -> ExportReport {
        var exported = try ExportedItems(keychain)
        var output = try BundleOutput(path, recipients)
        defer { output.wipe() }
        var line = SecretBuilder(capacity: 4096)
        line.append(BundleDocument.header(created: clock.milliseconds))
        try output.append(line.span)
        for item in exported.items {
            guard let secret = try exported.secret(of: item) else { continue }
            line.removeAll()
            guard BundleItem.append(item, secret, to: &line) else {
                exported.report.unsuited += 1
                continue
            }
            exported.report.items += 1
            guard exported.report.items <= TransferLimits.rows else { throw .tooManyRows(limit: TransferLimits.rows) }
            try output.append(line.span)
        }
        line.removeAll()
        line.append(BundleDocument.trailer(exported.report))
        try output.append(line.span)
        try output.finish(replacing: replacing)
        return exported.report
    }

    /// Whether a bundle is under a passphrase, and not for recipients.
    ///
    /// - Throws: `file` for what is no age file.
    public static func isUnderPassphrase(_ file: Span<UInt8>) throws(TransferError) -> Bool {
        let (header, _) = try BundleInput.header(of: file)
        return header.stanzas.first?.arguments.first == "scrypt"
    }

    /// Adds the items of a bundle.
    ///
    /// - Parameters:
    ///   - file: the bundle, 66 MiB at most.
    ///   - identities: a passphrase (`AgeScryptIdentity`, which sets the limit to the work that the file may ask for), or
    ///     as many others as one likes.
    ///   - mode: whether it is done, or only tried.
    ///   - duplicates: what to do with what is there already.
    ///   - preparing: may change each item before it is added: its access group, say.
    ///   - joining: what is not to go back when an item is replaced: the counter of one-time codes, say.
    /// - Returns: what became of each item. One that names the access group of a part of the tool is refused.
    /// - Throws: `file` for what does not open, is damaged or cut; `notThisFormat`, `newerVersion`, `malformed`,
    ///   `tooLarge`. Nothing was added then.
    public static func add(
        _ file: Span<UInt8>,
        to keychain: any Keychain,
        identities: [any AgeIdentity],
        mode: ImportMode = .real,
        duplicates: DuplicateRule = .skip,
        preparing: @escaping (inout NewItem) -> Void = { _ in },
        joining: @escaping JoiningRule = { _ in nil }
    ) throws(TransferError) -> ImportReport {
        let content = try BundleInput.content(of: file, identities)
        return try add(content: content.span, to: keychain, mode, duplicates, preparing, joining)
    }

    /// Adds the items of a bundle's content.
    static func add(
        content: Span<UInt8>,
        to keychain: any Keychain,
        _ mode: ImportMode = .real,
        _ duplicates: DuplicateRule = .skip,
        _ preparing: @escaping (inout NewItem) -> Void = { _ in },
        _ joining: @escaping JoiningRule = { _ in nil }
    ) throws(TransferError) -> ImportReport {
        let (lines, leftOut) = try BundleDocument.lines(of: content)
        var session = ImportSession(keychain, mode, duplicates, preparing, joining)
        if leftOut > 0 { session.leaveOut(["items that stay on the device that wrote it": leftOut]) }
        for (place, line) in lines.enumerated() where session.goesOn {
            do throws(RowDefect) {
                let item = try BundleItem.read(content.extracting(line))
                session.take(item, position: place + 1, name: item.attributes.title, part: "item")
            } catch {
                session.refuse(place + 1, "", "row", error)
            }
        }
        return session.report
    }
}
