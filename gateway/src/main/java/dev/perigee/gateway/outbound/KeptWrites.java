package dev.perigee.gateway.outbound;

import dev.perigee.gateway.inbound.GroupView;
import dev.perigee.gateway.inbound.Tenure;
import dev.perigee.gateway.outbound.StateWrite.Refusal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Records of topics that alone cannot be written, taken out of their writes and kept, by topic and
 * in their order, until the topic takes records again or there are too many. For one thread.
 */
final class KeptWrites {
    private final TopicHealth health;
    private final DroppedRecords dropped;
    private final Map<String, KeptRecords<Kept>> topics = new TreeMap<>();
    private final Map<Tenure, Long> committed = new HashMap<>();
    private long numbers;

    private record Kept(StateWrite write, ProducerRecord<byte[], byte[]> record, Parts parts) {}

    KeptWrites(TopicHealth health, DroppedRecords dropped) {
        this.health = health;
        this.dropped = dropped;
    }

    boolean isEmpty() {
        return topics.isEmpty();
    }

    /** Leaves of each write what can be written now. */
    void split(List<StateWrite> batch) {
        batch.replaceAll(write -> isConcerned(write) ? split(write) : write);
    }

    private boolean isConcerned(StateWrite write) {
        return write.records().stream().anyMatch(record -> isKept(record.topic()));
    }

    private boolean isKept(String topic) {
        return topics.containsKey(topic) || health.isBlocked(topic);
    }

    private StateWrite split(StateWrite write) {
        var parts = new Parts(write);
        var now = new ArrayList<ProducerRecord<byte[], byte[]>>();
        var positions = new ArrayList<Integer>();
        for (int i = 0; i < write.records().size(); i++) {
            var record = write.records().get(i);
            if (isKept(record.topic())) {
                parts.keep();
                keep(new Kept(write, record, parts));
            } else {
                now.add(record);
                positions.add(i);
            }
        }
        return new StateWrite(
                write.tenure(),
                now,
                write.commandsOffset(),
                write.patient(),
                new StateWrite.Ending() {
                    @Override
                    public void committed(List<Long> offsets) {
                        parts.committed(positions, offsets);
                    }

                    @Override
                    public void refused(Refusal refusal) {
                        parts.refused(refusal);
                    }
                });
    }

    private void keep(Kept kept) {
        var topic = kept.record().topic();
        var records = topics.computeIfAbsent(topic, _ -> new KeptRecords<>());
        records.put(numbers++, kept.record(), kept);
        for (var next = records.takeSurplus(); next != null; next = records.takeSurplus()) {
            dropped.count(topic);
            next.parts().keptDone();
        }
    }

    /** A write is committed: kept records of its tenure never commit a lower offset later. */
    void committed(StateWrite write) {
        if (!isEmpty()) {
            committed.merge(write.tenure(), write.commandsOffset(), Math::max);
        } else if (!committed.isEmpty()) {
            committed.clear();
        }
    }

    /** What was kept and can be written now, in order; these are writes like any other. */
    List<StateWrite> takeWritable() {
        var writes = new ArrayList<StateWrite>();
        for (var entry : topics.entrySet()) {
            if (!health.isBlocked(entry.getKey())) {
                var records = entry.getValue();
                for (var kept = records.takeFirst(); kept != null; kept = records.takeFirst()) {
                    writes.add(later(kept));
                }
            }
        }
        topics.values().removeIf(KeptRecords::isEmpty);
        return writes;
    }

    private StateWrite later(Kept kept) {
        var tenure = kept.write().tenure();
        long before = kept.write().commandsOffset();
        return new StateWrite(
                tenure,
                List.of(kept.record()),
                Math.max(before, committed.getOrDefault(tenure, before)),
                true,
                new StateWrite.Ending() {
                    @Override
                    public void committed(List<Long> offsets) {
                        kept.parts().keptDone();
                    }

                    @Override
                    public void refused(Refusal refusal) {
                        kept.parts().refused(refusal);
                    }
                });
    }

    /** The tenures that ended have nothing kept any more. */
    void dropEnded(GroupView view) {
        topics.replaceAll(
                (_, records) -> {
                    var left = new KeptRecords<Kept>();
                    for (var kept = records.takeFirst(); kept != null; kept = records.takeFirst()) {
                        if (view.holds(kept.write().tenure())) {
                            left.put(numbers++, kept.record(), kept);
                        } else {
                            kept.parts().refused(Refusal.TENURE_ENDED);
                        }
                    }
                    return left;
                });
        topics.values().removeIf(KeptRecords::isEmpty);
    }

    /** Drops all kept writes. */
    void close() {
        for (var records : topics.values()) {
            for (var kept = records.takeFirst(); kept != null; kept = records.takeFirst()) {
                kept.parts().refused(Refusal.CLOSED);
            }
        }
        topics.clear();
    }

    /** A write of which a part is kept; its callback is called once. */
    private static final class Parts {
        private static final long NOT_WRITTEN = -1;

        private final StateWrite whole;
        private final List<Long> offsets;
        private int left = 1;
        private boolean over;

        Parts(StateWrite whole) {
            this.whole = whole;
            this.offsets = new ArrayList<>();
            whole.records().forEach(_ -> offsets.add(NOT_WRITTEN));
        }

        void keep() {
            left++;
        }

        void committed(List<Integer> positions, List<Long> ofNow) {
            for (int i = 0; i < ofNow.size(); i++) {
                offsets.set(positions.get(i), ofNow.get(i));
            }
            if (!whole.patient()) {
                end();
            } else if (--left > 0) {
                whole.ending().kept();
            } else {
                end();
            }
        }

        void keptDone() {
            if (--left == 0) {
                end();
            }
        }

        private void end() {
            if (!over) {
                over = true;
                whole.ending().committed(List.copyOf(offsets));
            }
        }

        void refused(Refusal refusal) {
            if (!over) {
                over = true;
                whole.ending().refused(refusal);
            }
        }
    }
}
