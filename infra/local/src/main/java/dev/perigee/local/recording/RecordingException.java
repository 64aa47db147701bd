package dev.perigee.local.recording;

/** A file that cannot be read as a recording, or not be written; says what to do next. */
public final class RecordingException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean isOfStorage;

    public RecordingException(String message) {
        this(message, false);
    }

    private RecordingException(String message, boolean isOfStorage) {
        super(message);
        this.isOfStorage = isOfStorage;
    }

    /** Of a disk that fails or has no room: another file's name does not help. */
    public static RecordingException ofStorage(String message) {
        return new RecordingException(message, true);
    }

    /** Whether a disk failed, and not what was asked for. */
    public boolean isOfStorage() {
        return isOfStorage;
    }
}
