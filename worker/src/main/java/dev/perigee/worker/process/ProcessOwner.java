package dev.perigee.worker.process;

import java.util.regex.Pattern;

/**
 * The mark that every child of a worker carries in its environment, {@code
 * PERIGEE_OWNER=worker:incarnation:number}, and by which its whole tree is found again even after
 * the worker is gone.
 *
 * @param workerId the worker's configured id
 * @param incarnation new at each start of the worker
 */
public record ProcessOwner(String workerId, String incarnation) {

    /** The environment variable. */
    public static final String VARIABLE = "PERIGEE_OWNER";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

    /** Refuses names that could be mistaken for another's when searched as text. */
    public ProcessOwner {
        if (!NAME.matcher(workerId).matches() || !NAME.matcher(incarnation).matches()) {
            throw new IllegalArgumentException(
                    "Worker id and incarnation consist of letters, digits, '.', '_' and '-': "
                            + workerId
                            + ", "
                            + incarnation);
        }
    }

    /** The value for the n-th child. */
    public String marker(long number) {
        return incarnationPrefix() + number;
    }

    /** The value by which this incarnation's watchdog is known. */
    String watchdogMarker() {
        return workerId + ':' + incarnation;
    }

    /** What the markers of all incarnations of this worker begin with. */
    String workerPrefix() {
        return workerId + ':';
    }

    /** What the markers of this incarnation begin with. */
    String incarnationPrefix() {
        return workerId + ':' + incarnation + ':';
    }
}
