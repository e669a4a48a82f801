// The tests of this module come with the next commit.
