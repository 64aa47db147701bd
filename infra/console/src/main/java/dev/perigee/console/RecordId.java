package dev.perigee.console;

import org.jspecify.annotations.Nullable;

/**
 * Position of a record among those of its instance: {@code ce_id} is {@code {process_id}/{epoch
 * that created the session}/{seq}}.
 */
record RecordId(long epoch, long seq) {
    static final RecordId NONE = new RecordId(-1, -1);

    /** Null when the text is no such id. */
    static @Nullable RecordId parse(@Nullable String ceId) {
        if (ceId == null) {
            return null;
        }
        int last = ceId.lastIndexOf('/');
        int middle = ceId.lastIndexOf('/', last - 1);
        if (middle < 0) {
            return null;
        }
        try {
            return new RecordId(
                    Long.parseLong(ceId.substring(middle + 1, last)),
                    Long.parseLong(ceId.substring(last + 1)));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    boolean isAfter(RecordId other) {
        return epoch > other.epoch || (epoch == other.epoch && seq > other.seq);
    }
}
