import FoundationEssentials

// Linux has no Core Foundation. These are the names that code for Keychain Services mentions, such that its casts
// (`as CFDictionary`, `as String`, `as? Data`) mean the same.

/// A status: 0, or one of the values `errSec…`.
public typealias OSStatus = Int32
/// The type of an option set's bits.
public typealias CFOptionFlags = UInt
/// A number of things.
public typealias CFIndex = Int
/// A text.
public typealias CFString = String
/// Bytes.
public typealias CFData = Data
/// A moment.
public typealias CFDate = Date
/// A flag.
public typealias CFBoolean = Bool
/// A list.
public typealias CFArray = [Any]
/// A dictionary: what `SecItem…` and `SecKey…` are asked with.
public typealias CFDictionary = [String: Any]
/// Whatever is given back: `as? Data`, `as? [String: Any]` and `as! SecKey` say what it is.
public typealias CFTypeRef = AnyObject

/// Yes.
public let kCFBooleanTrue: CFBoolean! = true
/// No.
public let kCFBooleanFalse: CFBoolean! = false

/// What takes memory for an object. There is none here but Swift's own; calls take `nil` or `kCFAllocatorDefault`.
public final class CFAllocator: Sendable {
    private init() {}
}

/// Swift's own memory.
public let kCFAllocatorDefault: CFAllocator? = nil
