package dev.perigee.local.backup;

import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Current record of one key, byte by byte as its topic has it: what is encrypted there is so here.
 *
 * @param offset in the partition that it was read from
 * @param at timestamp in milliseconds since 1970
 */
@SuppressWarnings("ArrayRecordComponent") // Bytes of a topic, compared by nobody.
public record BackupRecord(
        Topic topic,
        int partition,
        long offset,
        long at,
        byte[] key,
        List<Header> headers,
        byte[] value) {

    /** One header; a name may come several times. */
    @SuppressWarnings("ArrayRecordComponent")
    public record Header(String name, byte @Nullable [] value) {}

    public BackupRecord {
        headers = List.copyOf(headers);
    }

    /** The key as text. */
    String name() {
        return new String(key, StandardCharsets.UTF_8);
    }

    /** The place only: values may hold secrets. */
    @Override
    public String toString() {
        return topic.suffix() + "-" + partition + "@" + offset;
    }
}
