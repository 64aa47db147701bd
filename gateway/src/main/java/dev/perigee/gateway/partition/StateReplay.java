package dev.perigee.gateway.partition;

import dev.perigee.gateway.secret.SealedException;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.InvalidRecordException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes a partition's state from its records in their order. What cannot be decrypted is not taken
 * for absent: unless a later record of the same name stands in for it, there is no state. Pure.
 */
final class StateReplay {
    private final StateSeal seal;
    private final PartitionState state = new PartitionState();
    private final SequencedMap<String, String> closed = new LinkedHashMap<>();

    StateReplay(StateSeal seal) {
        this.seal = seal;
    }

    /**
     * Takes over one record.
     *
     * @param value null for a tombstone
     * @throws InvalidRecordException when the record means nothing; the others are not concerned
     */
    void add(byte @Nullable [] key, byte @Nullable [] value, long offset) {
        var name = key == null ? "" : new String(key, StandardCharsets.UTF_8);
        closed.remove(name);
        state.outdated().remove(name);
        if (value == null) {
            state.replay(name, null, offset);
            return;
        }
        try {
            state.replay(name, seal.open(name, value), offset);
            if (StateRecord.isSecret(name) && !seal.isCurrent(value)) {
                state.outdated().add(name);
            }
        } catch (SealedException e) {
            closed.put(name, String.valueOf(e.getMessage()));
        }
    }

    /**
     * What all records together say.
     *
     * @throws UnreadableStateException when one that counts could not be decrypted
     */
    PartitionState state() {
        if (closed.isEmpty()) {
            return state;
        }
        var first = closed.firstEntry();
        throw new UnreadableStateException(
                "%d records of the state topic cannot be decrypted, such as %s: %s"
                        .formatted(closed.size(), first.getKey(), first.getValue()));
    }
}
