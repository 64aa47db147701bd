package dev.perigee.protocol.json;

/**
 * A record that does not say what the contract asks for: malformed JSON, a wrong type, a missing or
 * impossible field. The message names the field and what was expected, never the value, so that it
 * can be logged, answered and put into a dead letter.
 */
public final class InvalidRecordException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean malformed;

    private InvalidRecordException(String message, boolean malformed) {
        super(message);
        this.malformed = malformed;
    }

    /** The bytes are no JSON object at all. */
    public static InvalidRecordException malformed(String message) {
        return new InvalidRecordException(message, true);
    }

    /** The bytes are JSON, but a field is missing, of a wrong type or not allowed. */
    public static InvalidRecordException invalid(String message) {
        return new InvalidRecordException(message, false);
    }

    /** True when the bytes could not be read as JSON, false when what they say is not allowed. */
    public boolean isMalformed() {
        return malformed;
    }
}
