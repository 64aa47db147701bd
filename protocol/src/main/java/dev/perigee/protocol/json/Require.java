package dev.perigee.protocol.json;

import org.jspecify.annotations.Nullable;

/** Checks that records make in their constructors. Messages name the field, never its value. */
public final class Require {
    /** Longest id the contract allows, in characters. */
    public static final int MAX_ID_LENGTH = 200;

    private Require() {}

    /** The value, which must be present. */
    public static <T> T present(@Nullable T value, String field) {
        if (value == null) {
            throw InvalidRecordException.invalid("field " + field + " is missing");
        }
        return value;
    }

    /** A text that must be present and not blank. */
    public static String text(@Nullable String value, String field) {
        String text = present(value, field);
        if (text.isBlank()) {
            throw InvalidRecordException.invalid("field " + field + " is empty");
        }
        return text;
    }

    /** An id as the contract defines it: not blank, no slash, not {@code *}, 200 characters. */
    public static String id(@Nullable String value, String field) {
        String id = text(value, field);
        if (id.length() > MAX_ID_LENGTH) {
            throw InvalidRecordException.invalid(
                    "field " + field + " is longer than " + MAX_ID_LENGTH + " characters");
        }
        if (id.indexOf('/') >= 0 || id.equals("*") || hasControlCharacter(id)) {
            throw InvalidRecordException.invalid(
                    "field " + field + " must not be *, or contain a slash or control character");
        }
        return id;
    }

    /** A number that, when present, must be at least {@code minimum}. */
    public static @Nullable Long atLeast(@Nullable Long value, long minimum, String field) {
        if (value != null && value < minimum) {
            throw InvalidRecordException.invalid("field " + field + " is less than " + minimum);
        }
        return value;
    }

    private static boolean hasControlCharacter(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }
}
