package dev.perigee.local.backup;

import dev.perigee.protocol.topic.Topic;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Records that tests use. */
final class Examples {
    private Examples() {}

    static BackupRecord record(Topic topic, int partition, String key, String value) {
        return new BackupRecord(
                topic,
                partition,
                17,
                1_000,
                bytes(key),
                List.of(
                        new BackupRecord.Header("ce_id", bytes("p/1/2")),
                        new BackupRecord.Header("empty", null)),
                bytes(value));
    }

    static BackupRecord state(String key, String value) {
        return record(Topic.STATE, 0, key, value);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
