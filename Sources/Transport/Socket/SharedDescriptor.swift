import MildamSystem

/// A descriptor that several threads may hold; closed when the last lets go.
final class SharedDescriptor: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: consuming Descriptor) {
        self.descriptor = descriptor
    }

    var number: Int32 { descriptor.number }
}
