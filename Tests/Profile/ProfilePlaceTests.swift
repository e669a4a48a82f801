import MildamProfile
import Testing

@Suite("DESIGN, The house: where a profile lies")
struct ProfilePlaceTests {}
