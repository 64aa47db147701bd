package dev.perigee.worker.process;

/** The signals that a worker sends. */
public enum ProcessSignal {
    /** Asks for an orderly end. */
    TERM(15),
    /** Ends at once. */
    KILL(9);

    private final int number;

    ProcessSignal(int number) {
        this.number = number;
    }

    int number() {
        return number;
    }
}
