package dev.perigee.gateway.partition;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes secrets anew that an older key encrypted, or none did: a few at a time, each time when the
 * last ones are durable. What is being written anyway is left out, since that is newer than what is
 * known here. For the owner's thread.
 */
final class Resealing {
    private static final Logger LOG = LoggerFactory.getLogger(Resealing.class);
    private static final int MOST_RECORDS = 64;
    private static final int ENOUGH_BYTES = 256 << 10;

    private final PartitionContext context;
    private boolean writing;

    Resealing(PartitionContext context) {
        this.context = context;
    }

    /** Begins, continues, or does nothing when nothing is left. */
    void proceed() throws InterruptedException {
        if (writing) {
            return;
        }
        var names = new ArrayList<String>();
        var records = new ArrayList<ProducerRecord<byte[], byte[]>>();
        int bytes = 0;
        for (var name : List.copyOf(context.state().outdated())) {
            if (records.size() >= MOST_RECORDS || bytes >= ENOUGH_BYTES) {
                break;
            }
            if (context.writer().isWriting(name)) {
                continue;
            }
            var record = anew(name);
            if (record == null) {
                context.state().outdated().remove(name);
            } else {
                names.add(name);
                records.add(record);
                bytes += record.value().length;
            }
        }
        if (!records.isEmpty()) {
            write(names, records);
        }
    }

    private void write(List<String> names, List<ProducerRecord<byte[], byte[]>> records)
            throws InterruptedException {
        writing = true;
        context.writer()
                .write(
                        records,
                        _ -> {
                            LOG.atInfo()
                                    .addKeyValue("partition", context.partition())
                                    .addKeyValue("records", records.size())
                                    .log("Secrets re-encrypted with the current key");
                            ended();
                        },
                        () -> {
                            LOG.atError()
                                    .addKeyValue("partition", context.partition())
                                    .addKeyValue("records", names)
                                    .log("Secrets too large to re-encrypt; left as they are");
                            names.forEach(context.state().outdated()::remove);
                            ended();
                        });
    }

    private void ended() {
        writing = false;
        context.mailbox().post(() -> InterruptDeferral.run(this::proceed));
    }

    /** The record as it is known, sealed with the current key; null when there is none any more. */
    private @Nullable ProducerRecord<byte[], byte[]> anew(String name) {
        var state = context.state();
        var topic = context.stateTopic();
        if (name.startsWith(StateRecord.INSTANCE_PREFIX)) {
            var instance = state.instance(name.substring(StateRecord.INSTANCE_PREFIX.length()));
            return instance == null ? null : topic.instance(instance.again());
        }
        if (name.startsWith(StateRecord.RUNTIME_PREFIX)) {
            var processId = name.substring(StateRecord.RUNTIME_PREFIX.length());
            var durable = state.runtime(processId);
            return durable == null ? null : topic.runtime(processId, durable);
        }
        var broadcast = state.broadcast(name.substring(StateRecord.BROADCAST_PREFIX.length()));
        return broadcast == null ? null : topic.broadcast(broadcast);
    }
}
