package dev.perigee.local.recording;

/** A file that cannot be read as a recording, or not be written; says what to do next. */
public final class RecordingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public RecordingException(String message) {
        super(message);
    }
}
