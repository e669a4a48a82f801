import CTSS2

/// What a call of the TPM's software stack came to: the TPM's own code (TPM 2.0 part 2, section 6.6), or that of a layer
/// in front of it (TCG TSS 2.0 overview, section 8). Codes get their meaning here and nowhere else.
struct ResponseCode: Error, Equatable {
    let raw: UInt32

    init(_ raw: UInt32) {
        self.raw = raw
    }

    /// An answer that has not the form it must have.
    static let malformed = ResponseCode(TSS2_BASE_RC_MALFORMED_RESPONSE | 7 << 16)

    /// What a caller can do something about.
    enum Meaning: Equatable {
        /// A PIN, or another authorization, is wrong.
        case wrongAuthorization
        /// Protected authorizations are not heard for now.
        case lockedOut
        /// No slot is free for an object or a session.
        case slotsTaken
        /// The TPM has no such command, curve or hierarchy.
        case unsupported
        /// A handle or index names nothing.
        case nothingThere
        /// An index is taken.
        case indexTaken
        /// The TPM's memory is full.
        case memoryFull
        /// The answer's authentication is wrong, or the answer is none.
        case forgedAnswer
        /// The connection failed.
        case noAnswer
        /// Anything else.
        case other
    }

    var meaning: Meaning {
        guard let code = tpmCode else { return layerMeaning }
        return switch code {
        case MILDAM_RC_AUTH_FAIL, MILDAM_RC_BAD_AUTH: .wrongAuthorization
        case MILDAM_RC_LOCKOUT: .lockedOut
        case MILDAM_RC_OBJECT_MEMORY, MILDAM_RC_SESSION_MEMORY, MILDAM_RC_SESSION_HANDLES: .slotsTaken
        case MILDAM_RC_COMMAND_CODE, MILDAM_RC_CURVE, MILDAM_RC_HIERARCHY: .unsupported
        case MILDAM_RC_HANDLE: .nothingThere
        case MILDAM_RC_NV_DEFINED: .indexTaken
        case MILDAM_RC_NV_SPACE: .memoryFull
        default: .other
        }
    }

    /// Whether the TPM itself refused, and can go on.
    var isRefusal: Bool { tpmCode != nil }

    /// In words, as the software stack has them.
    var text: String {
        unsafe Tss2_RC_Decode(raw).map { unsafe String(cString: $0) } ?? "code 0x" + String(raw, radix: 16)
    }

    /// The TPM's code without the parameter, handle or session that a code of format 1 names: bits 6 and 8 to 11.
    private var tpmCode: UInt32? {
        switch raw >> 16 {
        // A resource manager gives the TPM's codes on, or makes some of its own in their form: layers 11 and 12.
        case 0, 11, 12: raw & 0x80 == 0 ? raw & 0xFFF : raw & 0xBF
        default: nil
        }
    }

    private var layerMeaning: Meaning {
        switch (raw >> 16, raw & 0xFFFF) {
        case (10, TSS2_BASE_RC_IO_ERROR), (10, TSS2_BASE_RC_NO_CONNECTION), (10, TSS2_BASE_RC_NOT_PERMITTED),
            (10, TSS2_BASE_RC_BAD_VALUE), (10, TSS2_BASE_RC_GENERAL_FAILURE):
            .noAnswer
        case (_, TSS2_BASE_RC_RSP_AUTH_FAILED), (_, TSS2_BASE_RC_MALFORMED_RESPONSE),
            (_, TSS2_BASE_RC_INSUFFICIENT_RESPONSE), (_, TSS2_BASE_RC_BAD_SIZE), (9, _):
            .forgedAnswer
        default: .other
        }
    }
}
