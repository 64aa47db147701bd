package dev.perigee.local.replay;

import dev.perigee.protocol.topic.Topic;
import dev.perigee.protocol.topic.TopicNames;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.apache.kafka.common.record.TimestampType;

/** Records as a consumer of the source gets them. */
final class SourceRecords {
    static final TopicNames NAMES = new TopicNames("mcp.");
    static final int PARTITIONS = 4;

    private SourceRecords() {}

    static ConsumerRecord<byte[], byte[]> of(
            Topic topic, String key, String value, long offset, long timestamp) {
        var bytes = key.getBytes(StandardCharsets.UTF_8);
        return at(topic, TargetWriter.partition(bytes, PARTITIONS), key, value, offset, timestamp);
    }

    static ConsumerRecord<byte[], byte[]> at(
            Topic topic, int partition, String key, String value, long offset, long timestamp) {
        return new ConsumerRecord<>(
                NAMES.of(topic),
                partition,
                offset,
                timestamp,
                TimestampType.LOG_APPEND_TIME,
                key.length(),
                value.length(),
                key.getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8),
                new RecordHeaders(),
                Optional.empty());
    }

    static ConsumerRecord<byte[], byte[]> command(String key, String value) {
        return of(Topic.COMMANDS, key, value, 0, 0);
    }

    static ConsumerRecord<byte[], byte[]> request(String key, String value) {
        return of(Topic.TOOL_REQUESTS, key, value, 0, 0);
    }

    /** A command about an installation of t1's u1. */
    static String restart(String id, String installation) {
        return """
        {"id":"%s","command_type":"restart","payload":{"installation_id":"%s","team_id":"t1","user_id":"u1"}}"""
                .formatted(id, installation);
    }

    static String call(String id, String path) {
        return """
        {"request_id":"%s","team_id":"t1","user_id":"u1","method":"tools/call","tool_path":"%s","arguments":{}}"""
                .formatted(id, path);
    }
}
