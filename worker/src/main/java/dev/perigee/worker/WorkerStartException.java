package dev.perigee.worker;

/** A worker could not be started; nothing of it is left. The message says what to do. */
public final class WorkerStartException extends Exception {
    private static final long serialVersionUID = 1;

    WorkerStartException(String message, Throwable cause) {
        super(message, cause);
    }
}
