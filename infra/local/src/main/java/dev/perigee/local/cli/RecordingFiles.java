package dev.perigee.local.cli;

import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingHeader;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.part.CliException;
import dev.perigee.part.ExitCode;
import dev.perigee.part.Printer;
import dev.perigee.part.Version;

/** Errors and warnings that the commands over recordings share. */
final class RecordingFiles {
    private RecordingFiles() {}

    /** This program's own version. */
    static String version() {
        return new Version().getVersion()[0].replace("perigee ", "");
    }

    /** A disk that fails is no bad argument. */
    static CliException explained(RecordingException failure) {
        return new CliException(
                failure.isOfStorage() ? ExitCode.UNAVAILABLE : ExitCode.USAGE,
                String.valueOf(failure.getMessage()));
    }

    /** Says what of a recording this version does not know. */
    static void warn(RecordingReader reader, Printer err, String name) {
        int version = reader.header().version();
        if (version != RecordingHeader.VERSION) {
            err.line(
                    name
                            + ": the recording has version "
                            + version
                            + " of the format, this is for "
                            + RecordingHeader.VERSION
                            + ": what it does not know is left out");
        }
        reader.unknown()
                .forEach((what, count) -> err.line(name + ": skipped " + count + " x " + what));
    }
}
