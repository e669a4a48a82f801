import Foundation
import HouseSupport
import MildamFiles
import MildamRelayAPI
import MildamTransport
import TestSupport
import Testing

/// A dishonest relay, as bob meets it while he sends a file.
@Suite("A relay that lies about an upload")
struct TamperedUploadTests {
    enum Lie: CaseIterable, Sendable {
        case negative, beyond, otherSize, otherBlob, pieceBeyond, pieceHuge, pieceNegative
    }

    /// A relay that says how much it has of an upload, and cannot have it.
    @Test(arguments: Lie.allCases)
    func anUploadThatCannotBe(_ lie: Lie) async throws {
        let scene = try await FileScene.set()
        let note = scene.house.folder.file("note.txt")
        scene.proxy.tamper { route, request, answer in
            guard let blob = Routes.blob.names(in: route)?.blob else { return answer }
            let size = AgeFile.size(ofContent: scene.content.count)
            let isPiece = request.method == .put
            var state = BlobState(blob: blob, size: size, received: isPiece ? size : 0)
            switch (lie, isPiece) {
            case (.negative, false): state.received = .min
            case (.beyond, false): state.received = size + 1
            case (.otherSize, false): state.size = size + 1
            case (.otherBlob, false): state.blob = .random()
            case (.pieceBeyond, true): state.received = size + 1
            case (.pieceHuge, true): state.received = 1 << 62
            case (.pieceNegative, true): state.received = -1
            default: break
            }
            return HTTPResponse(status: 200, body: Array(try JSONEncoder().encode(state)))
        }
        expect(try await scene.bob.run("send", "kitchen", "--file", note), 5, "the state of an upload")
        #expect(try await scene.bob.account().unsent == 0)
        // An honest relay gets it whole.
        scene.proxy.behave()
        try await scene.bob.done("send", "kitchen", "--file", note)
        let copy = scene.house.folder.file("copy")
        try await scene.alice.done("read", "kitchen")
        try await scene.alice.done("save", "kitchen", "4", "-o", copy)
        #expect(scene.read("copy") == scene.content)
    }
}
