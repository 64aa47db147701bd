package dev.perigee.gateway.partition;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Public part of a record of the state topic: host and claim of a partition. Instances, which hold
 * secrets, are not decoded.
 */
public sealed interface Whereabouts {
    /** A gateway owns it. */
    record Claimed(String gatewayId, Instant at) implements Whereabouts {}

    /**
     * Its processes are on a worker, or were last.
     *
     * @param workerId null when they are known to be nowhere
     */
    record Hosted(@Nullable String workerId) implements Whereabouts {}

    /**
     * Reads a record, null when it is about something else.
     *
     * @param value null for a tombstone
     * @throws InvalidRecordException when it cannot be read
     */
    static @Nullable Whereabouts read(byte @Nullable [] key, byte @Nullable [] value) {
        return switch (key == null ? "" : new String(key, StandardCharsets.UTF_8)) {
            case StateRecord.CLAIM_KEY -> {
                if (value == null) {
                    yield null;
                }
                var claim = Json.read(value, StateRecord.Claim.class);
                yield new Claimed(claim.gatewayId(), claim.claimedAt());
            }
            case StateRecord.HOST_KEY ->
                    new Hosted(
                            value == null
                                    ? null
                                    : Json.read(value, StateRecord.Host.class).workerId());
            default -> null;
        };
    }
}
