package dev.perigee.part;

import java.time.Duration;
import java.util.Map;

/** A part that serves. {@link #close} stops it in its proper order and may take a while. */
public interface RunningPart extends AutoCloseable {
    /** Its addresses by the names of the ready line: kafka, link, admin; in this order. */
    public Map<String, String> addresses();

    /** Waits until the part cannot go on; also returns when it is closed. */
    public void awaitEnd() throws InterruptedException;

    /** How long {@link #close} may take before it is given up. */
    public default Duration closeDeadline() {
        return Duration.ofSeconds(60);
    }

    @Override
    public void close();
}
