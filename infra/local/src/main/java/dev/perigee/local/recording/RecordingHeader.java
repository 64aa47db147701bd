package dev.perigee.local.recording;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * First line of a recording.
 *
 * @param version of the format
 * @param perigee the version of Perigee that wrote it
 * @param source the fleet: cluster id, slash and topic prefix
 * @param partitions process partitions of the fleet
 * @param since begin of the span; null for all that was there
 * @param until end of the span, exclusive
 * @param recordedAt when it was made, by the clock of the machine that made it
 */
public record RecordingHeader(
        int version,
        String perigee,
        String source,
        int partitions,
        @Nullable Instant since,
        Instant until,
        Instant recordedAt) {
    /** What this version writes. A reader skips and counts what it does not know of others. */
    public static final int VERSION = 1;

    static final String FORMAT = "perigee-recording";

    static final FileKind KIND =
            new FileKind(
                    FORMAT,
                    "recording",
                    "perigee recording make",
                    "make it again",
                    RecordingException::new,
                    RecordingException::ofStorage);
}
