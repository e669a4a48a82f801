import Glibc

extension HPKE {
    /// `LabeledExtract` and `LabeledExpand` (RFC 9180, section 4) of one KEM or one ciphersuite.
    struct LabeledKDF: Sendable {
        let algorithm: DigestAlgorithm
        /// "HPKE-v1" ‖ suite_id: 12 bytes for a KEM, 17 for a ciphersuite.
        private let prefix: [UInt8]

        /// That of a KEM.
        init(_ algorithm: DigestAlgorithm, _ kem: KEM) {
            self.algorithm = algorithm
            prefix = Array("HPKE-v1KEM".utf8) + LabeledKDF.octets(kem.rawValue)
        }

        /// That of a ciphersuite.
        init(_ kem: KEM, _ kdf: KDF, _ aead: AEAD) {
            algorithm = kdf.algorithm
            let identifiers = [kem.rawValue, kdf.rawValue, aead.rawValue]
            prefix = Array("HPKE-v1HPKE".utf8) + identifiers.flatMap(LabeledKDF.octets)
        }

        /// A run of it in this thread's context, one at a time.
        func run() -> Run {
            Run(context: ThreadContexts.current.authenticator(algorithm), size: algorithm.size, prefix: prefix)
        }

        /// What is extracted without a salt from bytes that are not secret.
        func hash(_ label: StaticString, _ input: UnsafeRawBufferPointer) -> [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: algorithm.size) { output, count in
                unsafe run().extract(salt: nil, label, input, into: UnsafeMutableRawBufferPointer(output))
                count = algorithm.size
            }
        }

        private static func octets(_ number: UInt16) -> [UInt8] {
            [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        }
    }
}

extension HPKE.LabeledKDF {
    /// Extractions and expansions, one after the other, in the thread's context, which has no key when they are done.
    struct Run: ~Copyable {
        let context: MACContext
        let size: Int
        let prefix: [UInt8]

        deinit {
            context.forgetKey()
        }

        /// LabeledExtract(salt, label, input ‖ more), as long as the hash.
        func extract(
            salt: UnsafeRawBufferPointer?,
            _ label: StaticString,
            _ input: UnsafeRawBufferPointer,
            _ more: UnsafeRawBufferPointer? = nil,
            into output: UnsafeMutableRawBufferPointer
        ) {
            unsafe context.begin(salt ?? UnsafeRawBufferPointer(start: nil, count: 0))
            begin(label)
            unsafe context.update(input)
            if let more = unsafe more { unsafe context.update(more) }
            unsafe context.finish(output)
        }

        /// Takes the key that is expanded next.
        func use(_ key: UnsafeRawBufferPointer) {
            unsafe context.begin(key)
        }

        /// LabeledExpand(key, label, info, L), where L is how much `output` takes: up to 255 times the hash's size.
        func expand(_ label: StaticString, _ info: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
            precondition(output.count <= 255 * size, "HKDF gives at most 255 times the digest's size")
            var position = 0
            var counter: UInt8 = 0
            while position < output.count {
                context.begin()
                if position > 0 {
                    unsafe context.update(UnsafeRawBufferPointer(rebasing: output[position - size..<position]))
                }
                append(UInt16(output.count).bigEndian)
                begin(label)
                unsafe context.update(info)
                counter += 1
                append(counter)
                unsafe finish(UnsafeMutableRawBufferPointer(rebasing: output[position...].prefix(size)))
                position += size
            }
        }

        private func begin(_ label: StaticString) {
            unsafe prefix.withUnsafeBytes { unsafe context.update($0) }
            unsafe context.update(UnsafeRawBufferPointer(start: label.utf8Start, count: label.utf8CodeUnitCount))
        }

        private func append(_ number: some FixedWidthInteger) {
            unsafe withUnsafeBytes(of: number) { unsafe context.update($0) }
        }

        /// Writes a block, or as much of one as `output` takes.
        private func finish(_ output: UnsafeMutableRawBufferPointer) {
            guard output.count < size else { return unsafe context.finish(output) }
            var block: InlineArray<64, UInt8> = InlineArray(repeating: 0)
            unsafe withUnsafeMutableBytes(of: &block) { block in
                unsafe context.finish(UnsafeMutableRawBufferPointer(rebasing: block[..<size]))
                unsafe output.copyMemory(from: UnsafeRawBufferPointer(rebasing: block[..<output.count]))
                if let start = block.baseAddress { unsafe explicit_bzero(start, block.count) }
            }
        }
    }
}
