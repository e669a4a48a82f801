import Glibc
import MildamSystem
import Testing

/// Who is trusted with what lies on the way to a folder, as a rule: user 1000 asks.
@Suite("What another user could have put there")
struct TrustRuleTests {
    private let rule = TrustRule(user: 1000)
    private static let ours = PlaceStatus(.folder, owner: 1000, mode: 0o755)
    private static let roots = PlaceStatus(.folder, owner: 0, mode: 0o755)
    private static let shared = PlaceStatus(.folder, owner: 0, mode: 0o1777)

    private static let ways: [(PlaceStatus?, PlaceStatus, TrustRule.Fault?)] = [
        // Owners
        (ours, roots, nil), (roots, roots, nil), (ours, ours, nil),
        (PlaceStatus(.folder, owner: 1001, mode: 0o700), roots, .entry(.owner(1001))),
        (PlaceStatus(.folder, owner: 1001, mode: 0o700), shared, .entry(.owner(1001))),
        (PlaceStatus(.link, owner: 1001, mode: 0o777), roots, .entry(.owner(1001))),
        // Folders that others may write to
        (ours, PlaceStatus(.folder, owner: 1000, mode: 0o777), .folder(.writable(0o777))),
        (nil, PlaceStatus(.folder, owner: 1000, mode: 0o757), .folder(.writable(0o757))),
        (ours, PlaceStatus(.folder, owner: 0, mode: 0o775), .folder(.writable(0o775))),
        (ours, PlaceStatus(.folder, owner: 1000, mode: 0o775, isGroupPrivate: true), nil),
        (ours, PlaceStatus(.folder, owner: 1000, mode: 0o777, isGroupPrivate: true), .folder(.writable(0o777))),
        // The sticky bit
        (ours, shared, nil), (roots, shared, nil), (nil, shared, nil),
        (ours, PlaceStatus(.folder, owner: 1000, mode: 0o1770), nil),
        // Links
        (PlaceStatus(.link, owner: 0, mode: 0o777), roots, nil),
        (PlaceStatus(.link, owner: 1000, mode: 0o777), ours, nil),
        (PlaceStatus(.link, owner: 1000, mode: 0o777), shared, .entry(.link)),
        (PlaceStatus(.link, owner: 0, mode: 0o777), shared, .entry(.link)),
        // What is not there yet
        (nil, roots, nil), (nil, ours, nil),
    ]

    @Test(arguments: ways)
    func onTheWay(_ entry: PlaceStatus?, _ folder: PlaceStatus, _ fault: TrustRule.Fault?) {
        #expect(rule.fault(of: entry, in: folder) == fault)
    }

    @Test(
        arguments: [
            (PlaceStatus(.folder, owner: 1000, mode: 0o700), nil, nil),
            (PlaceStatus(.folder, owner: 1000, mode: 0o2700), nil, nil),
            (PlaceStatus(.folder, owner: 1000, mode: 0o750), .open(0o750), nil),
            (PlaceStatus(.folder, owner: 1000, mode: 0o701), .open(0o701), nil),
            (PlaceStatus(.folder, owner: 1000, mode: 0o775, isGroupPrivate: true), .open(0o775), nil),
            (PlaceStatus(.folder, owner: 1000, mode: 0o770), .open(0o770), .writable(0o770)),
            // The sticky bit keeps nobody from putting things there.
            (PlaceStatus(.folder, owner: 1000, mode: 0o1777), .open(0o1777), .writable(0o1777)),
            (PlaceStatus(.folder, owner: 1001, mode: 0o700), .owner(1001), .owner(1001)),
            (PlaceStatus(.folder, owner: 0, mode: 0o700), .owner(0), .owner(0)),
        ] as [(PlaceStatus, UntrustedPlace.Fault?, UntrustedPlace.Fault?)]
    )
    func ourOwn(_ folder: PlaceStatus, _ closed: UntrustedPlace.Fault?, _ shown: UntrustedPlace.Fault?) {
        #expect(rule.fault(ofOwn: folder, othersMayLook: false) == closed)
        #expect(rule.fault(ofOwn: folder, othersMayLook: true) == shown)
    }

    @Test(
        arguments: [
            (PlaceStatus(.file, owner: 1000, mode: 0o600), nil),
            (PlaceStatus(.file, owner: 1000, mode: 0o644), nil),
            (PlaceStatus(.file, owner: 1000, mode: 0o664), .writable(0o664)),
            (PlaceStatus(.file, owner: 1000, mode: 0o606), .writable(0o606)),
            (PlaceStatus(.file, owner: 0, mode: 0o600), .owner(0)),
            (PlaceStatus(.file, owner: 1001, mode: 0o600), .owner(1001)),
            (PlaceStatus(.link, owner: 1000, mode: 0o777), .link),
            (PlaceStatus(.other, owner: 1000, mode: 0o600), .kind),
            (PlaceStatus(.folder, owner: 1000, mode: 0o700), .kind),
        ] as [(PlaceStatus, UntrustedPlace.Fault?)]
    )
    func files(_ file: PlaceStatus, _ fault: UntrustedPlace.Fault?) {
        #expect(rule.fault(ofFile: file) == fault)
    }

    @Test(
        arguments: [
            (.owner(1001), "/a belongs to another user (number 1001)"),
            (.writable(0o1777), "others may write to /a (permissions 1777)"),
            (.open(0o755), "/a is open to others (permissions 755); chmod 700 '/a'"),
            (.folderLink, "/a is a symbolic link, and nothing is written or removed behind one; put the"),
            (.link, "/a is a symbolic link, which"), (.kind, "/a is no regular file"),
        ] as [(UntrustedPlace.Fault, String)]
    )
    func whatIsSaid(_ fault: UntrustedPlace.Fault, _ words: String) {
        let error = SystemError(UntrustedPlace("/a", fault))
        #expect(error.description.hasPrefix(words) && error.code == EACCES, "\(error)")
    }
}
