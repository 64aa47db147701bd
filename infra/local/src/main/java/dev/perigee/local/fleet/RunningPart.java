package dev.perigee.local.fleet;

import java.util.Map;

/** A part that serves. {@link #close} stops it in its proper order and may take a while. */
public interface RunningPart extends AutoCloseable {
    /** Its addresses by the names of the ready line: kafka, link, admin. */
    Map<String, String> addresses();

    @Override
    void close();
}
