package dev.perigee.local.replay;

import dev.perigee.client.MissingTopicException;
import dev.perigee.client.TopicTail;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.topic.RecordKey;
import dev.perigee.protocol.topic.Topic;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Copies that the target has not answered yet, in the order in which they were sent. One that is
 * not answered within the patience is forgotten. Holds at most {@link #MOST}. For one thread.
 */
final class Unanswered implements AutoCloseable {
    /** Of all users together. */
    static final int MOST = 20_000;

    private record Copy(String key, boolean isCommand, long sentNanos) {}

    private final @Nullable TopicTail answers;
    private final String commandResults;
    private final int mostOfUser;
    private final Duration patience;
    private final Map<String, Copy> copies = new LinkedHashMap<>();
    private final Map<String, Integer> commands = new HashMap<>();

    /** Ids that were answered or given up lately. */
    private final Set<String> over =
            Collections.newSetFromMap(
                    new LinkedHashMap<>() {
                        @Override
                        protected boolean removeEldestEntry(Map.Entry<String, Boolean> eldest) {
                            return size() > MOST;
                        }
                    });

    private final Map<String, Integer> requests = new HashMap<>();

    /**
     * Begins to listen; what is sent is seen answered from the start on.
     *
     * @param requests whether any are sent; without them their results need not be readable
     * @param mostOfUser requests that a user may have unanswered
     * @param patience how long an answer may take
     * @param start the end, unless an interrupted run had sent something
     */
    Unanswered(
            Cluster target,
            boolean requests,
            int mostOfUser,
            Duration patience,
            TopicTail.Start start) {
        this.mostOfUser = mostOfUser;
        this.patience = patience;
        this.commandResults = target.topic(Topic.COMMAND_RESULTS);
        this.answers = listen(target, requests, start);
    }

    /** Where nothing is answered, nothing is waited for. */
    private static @Nullable TopicTail listen(
            Cluster target, boolean requests, TopicTail.Start start) {
        var results =
                requests
                        ? new Topic[] {Topic.COMMAND_RESULTS, Topic.TOOL_RESULTS}
                        : new Topic[] {Topic.COMMAND_RESULTS};
        try {
            return TopicTail.open(target.connection(), start, results);
        } catch (MissingTopicException e) {
            return null;
        }
    }

    void sent(Topic topic, RecordKey key, String id) {
        if (answers == null || over.contains(id)) {
            return; // A repeat of what was answered is not answered again.
        }
        add(id, new Copy(key.toString(), topic == Topic.COMMANDS, System.nanoTime()));
    }

    /** Commands that the run had sent before it was interrupted; answered or not will show. */
    void sentEarlier(List<Sent> commands) {
        if (answers != null) {
            long now = System.nanoTime();
            commands.subList(Math.max(0, commands.size() - MOST), commands.size())
                    .forEach(sent -> add(sent.id(), new Copy(sent.key(), true, now)));
        }
    }

    private void add(String id, Copy copy) {
        if (copies.putIfAbsent(id, copy) == null) {
            counts(copy).merge(copy.key(), 1, Integer::sum);
        }
    }

    /**
     * Whether one more may be sent: a request waits for the commands of its user, and those for
     * every user of its team.
     */
    boolean hasRoom(Topic topic, RecordKey key) {
        if (copies.size() >= MOST) {
            return false;
        }
        return topic == Topic.COMMANDS
                || (requests.getOrDefault(key.toString(), 0) < mostOfUser
                        && !commands.containsKey(key.toString())
                        && !commands.containsKey(new RecordKey(key.teamId(), null).toString()));
    }

    boolean isEmpty() {
        return copies.isEmpty();
    }

    /** Takes answers, waiting at most so long for one. */
    void poll(Duration wait) {
        if (answers != null) {
            answers.poll(wait).forEach(this::answered);
        }
        long now = System.nanoTime();
        var oldest = copies.entrySet().iterator();
        while (oldest.hasNext()) {
            var entry = oldest.next();
            var copy = entry.getValue();
            if (now - copy.sentNanos() < patience.toNanos()) {
                break;
            }
            over.add(entry.getKey());
            oldest.remove();
            forget(copy);
        }
    }

    private void answered(ConsumerRecord<byte[], byte[]> record) {
        try {
            var value = Json.tree(record.value() == null ? new byte[0] : record.value());
            boolean isCommand = record.topic().equals(commandResults);
            if (isCommand && value.path("outcome").asString("").equals("acknowledged")) {
                return;
            }
            var id = value.path(isCommand ? "command_id" : "request_id").asString("");
            var copy = copies.remove(id);
            if (copy != null) {
                over.add(id);
                forget(copy);
            }
        } catch (InvalidRecordException e) {
            // Not one of a gateway.
        }
    }

    private void forget(Copy copy) {
        counts(copy).computeIfPresent(copy.key(), (_, count) -> count == 1 ? null : count - 1);
    }

    private Map<String, Integer> counts(Copy copy) {
        return copy.isCommand() ? commands : requests;
    }

    @Override
    public void close() {
        if (answers != null) {
            answers.close();
        }
    }
}
