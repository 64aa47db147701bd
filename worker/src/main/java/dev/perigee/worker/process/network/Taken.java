package dev.perigee.worker.process.network;

/** Outcomes of taking one more descriptor or connection from a socket. */
enum Taken {
    ONE,
    NONE,
    /** The system has no room: it is to be left alone for a moment. */
    FAILED;

    /** By what the system answered. */
    static Taken of(int result) {
        if (result >= 0) {
            return ONE;
        }
        return result == SocketCalls.TRY_AGAIN ? NONE : FAILED;
    }
}
