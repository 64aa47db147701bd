package dev.perigee.gateway.partition;

import dev.perigee.gateway.quarantine.Suspicion;
import dev.perigee.gateway.quarantine.UserSuspicion;
import dev.perigee.gateway.secret.StateSeal;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/** Shapes the state records of one partition, secrets encrypted. */
record StateTopic(String name, int partition, StateSeal seal) {

    ProducerRecord<byte[], byte[]> claim(StateRecord.Claim claim) {
        return record(StateRecord.CLAIM_KEY, Json.write(claim));
    }

    ProducerRecord<byte[], byte[]> host(StateRecord.Host host) {
        return record(StateRecord.HOST_KEY, Json.write(host));
    }

    /** The partition's processes are known to be nowhere. */
    ProducerRecord<byte[], byte[]> noHost() {
        return record(StateRecord.HOST_KEY, null);
    }

    ProducerRecord<byte[], byte[]> instance(StateRecord.Installed installed) {
        return record(
                StateRecord.INSTANCE_PREFIX + installed.config().processId(),
                Json.write(installed));
    }

    ProducerRecord<byte[], byte[]> noInstance(String processId) {
        return record(StateRecord.INSTANCE_PREFIX + processId, null);
    }

    ProducerRecord<byte[], byte[]> runtime(String processId, RawJson durable) {
        return record(StateRecord.RUNTIME_PREFIX + processId, durable.bytes());
    }

    ProducerRecord<byte[], byte[]> noRuntime(String processId) {
        return record(StateRecord.RUNTIME_PREFIX + processId, null);
    }

    /** What counts against an instance; a tombstone when nothing does. */
    ProducerRecord<byte[], byte[]> suspicion(String processId, Suspicion suspicion) {
        return record(
                StateRecord.SUSPICION_PREFIX + processId,
                suspicion.isNone() ? null : Json.write(suspicion));
    }

    /** What a user answers for; a tombstone for nothing. */
    ProducerRecord<byte[], byte[]> suspectUser(String user, UserSuspicion suspicion) {
        return record(
                StateRecord.SUSPECT_USER_PREFIX + user,
                suspicion.isNone() ? null : Json.write(suspicion));
    }

    ProducerRecord<byte[], byte[]> command(String commandId, StateRecord.Remembered command) {
        return record(StateRecord.COMMAND_PREFIX + commandId, Json.write(command));
    }

    ProducerRecord<byte[], byte[]> noCommand(String commandId) {
        return record(StateRecord.COMMAND_PREFIX + commandId, null);
    }

    ProducerRecord<byte[], byte[]> broadcast(StateRecord.Broadcast broadcast) {
        return record(
                StateRecord.BROADCAST_PREFIX + broadcast.command().id(), Json.write(broadcast));
    }

    ProducerRecord<byte[], byte[]> noBroadcast(String commandId) {
        return record(StateRecord.BROADCAST_PREFIX + commandId, null);
    }

    private ProducerRecord<byte[], byte[]> record(String key, byte @Nullable [] value) {
        var kept = value != null && StateRecord.isSecret(key) ? seal.seal(key, value) : value;
        return new ProducerRecord<>(name, partition, key.getBytes(StandardCharsets.UTF_8), kept);
    }
}
