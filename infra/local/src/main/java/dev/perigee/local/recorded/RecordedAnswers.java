package dev.perigee.local.recorded;

import dev.perigee.local.recording.RecordedRecord;
import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingJson;
import dev.perigee.local.recording.RecordingReader;
import dev.perigee.protocol.topic.Topic;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * The recorded answers to calls of tools, by {@link AnswerKey} and in the order in which they were
 * given; a call that comes more often than it was recorded has the last one again. Answers are in a
 * file that only its owner reads; memory holds 32 bytes for each and the servers' tools.
 * Thread-safe.
 */
public final class RecordedAnswers implements AutoCloseable {
    /** Of requests whose answers come later than this many others, the answer is not kept. */
    private static final int MOST_OPEN = 100_000;

    private record Place(long key, long position) {}

    private record Asked(String tool, JsonNode arguments) {}

    private final Path file;
    private final RandomAccessFile answers;
    private final List<Place> places;
    private final Map<String, JsonNode> tools;
    private final Map<Long, Integer> used = new HashMap<>();

    private RecordedAnswers(
            Path file, RandomAccessFile answers, List<Place> places, Map<String, JsonNode> tools) {
        this.file = file;
        this.answers = answers;
        this.places = places;
        this.tools = tools;
    }

    /**
     * Reads a recording.
     *
     * @throws RecordingException when it is none, or there is no room for its answers
     */
    public static RecordedAnswers of(Path recording) {
        RecordingReader.verify(recording);
        try {
            return of(recording, Files.createTempFile("perigee-answers-", null));
        } catch (IOException e) {
            throw noRoom(e);
        }
    }

    /** Keeps the answers in this file, which is removed when they are closed or not read. */
    static RecordedAnswers of(Path recording, Path file) {
        var places = new ArrayList<Place>();
        var tools = new HashMap<String, JsonNode>();
        RandomAccessFile answers = null;
        boolean isRead = false;
        try {
            answers = new RandomAccessFile(file.toFile(), "rw");
            read(recording, answers, places, tools);
            places.sort(Comparator.comparingLong(Place::key).thenComparingLong(Place::position));
            isRead = true;
            return new RecordedAnswers(file, answers, places, tools);
        } catch (IOException e) {
            throw noRoom(e);
        } finally {
            if (!isRead) {
                remove(answers, file);
            }
        }
    }

    private static void remove(@Nullable RandomAccessFile answers, Path file) {
        try (answers) {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw RecordingException.ofStorage(file + " cannot be removed: " + e.getMessage());
        }
    }

    private static RecordingException noRoom(IOException failure) {
        return RecordingException.ofStorage(
                "No room for the recording's answers: " + failure.getMessage());
    }

    private static void read(
            Path recording,
            RandomAccessFile answers,
            List<Place> places,
            Map<String, JsonNode> tools)
            throws IOException {
        var open =
                new LinkedHashMap<String, Asked>() {
                    private static final long serialVersionUID = 1L;

                    @Override
                    protected boolean removeEldestEntry(Map.Entry<String, Asked> eldest) {
                        return size() > MOST_OPEN;
                    }
                };
        try (var reader = new RecordingReader(recording)) {
            for (var record = reader.next(); record != null; record = reader.next()) {
                var value = record.value();
                if (value == null) {
                    continue;
                }
                if (record.topic() == Topic.TOOLS) {
                    tool(record, value, tools);
                } else if (record.topic() == Topic.TOOL_REQUESTS) {
                    if (value.path("method").asString("").equals("tools/call")) {
                        var path = value.path("tool_path").asString("");
                        open.put(
                                value.path("request_id").asString(""),
                                new Asked(
                                        path.substring(path.indexOf(':') + 1),
                                        value.path("arguments")));
                    }
                } else if (record.topic() == Topic.TOOL_RESULTS) {
                    var asked = open.remove(value.path("request_id").asString(""));
                    var process = value.path("process_id").asString("");
                    if (asked != null && !process.isEmpty()) {
                        long key = AnswerKey.of(process, asked.tool(), asked.arguments());
                        places.add(new Place(key, answers.getFilePointer()));
                        var bytes = RecordingJson.MAPPER.writeValueAsBytes(answer(value));
                        answers.writeInt(bytes.length);
                        answers.write(bytes);
                    }
                }
            }
        }
    }

    private static void tool(RecordedRecord record, JsonNode value, Map<String, JsonNode> tools) {
        if (record.key() != null && value.path("tools").isArray()) {
            tools.put(record.key(), value.path("tools"));
        }
    }

    private static ObjectNode answer(JsonNode result) {
        var answer = RecordingJson.MAPPER.createObjectNode();
        if (result.path("result").isObject()) {
            answer.set("result", result.path("result"));
        } else {
            answer.put("error", result.path("error").path("code").asString("failed"));
        }
        return answer;
    }

    /** The tools of a server as it announced them last; null when the recording has none. */
    @Nullable JsonNode tools(String process) {
        return tools.get(process);
    }

    /**
     * The answer to a call, with {@code result} or {@code error}; null when there is none.
     *
     * @throws IOException when the file cannot be read
     */
    synchronized @Nullable JsonNode next(String process, String tool, JsonNode arguments)
            throws IOException {
        long key = AnswerKey.of(process, tool, arguments);
        int first = first(key);
        if (first == places.size() || places.get(first).key() != key) {
            return null;
        }
        int at = first + used.getOrDefault(key, 0);
        if (at + 1 < places.size() && places.get(at + 1).key() == key) {
            used.merge(key, 1, Integer::sum);
        }
        answers.seek(places.get(at).position());
        var bytes = new byte[answers.readInt()];
        answers.readFully(bytes);
        return RecordingJson.MAPPER.readTree(bytes);
    }

    private int first(long key) {
        int low = 0;
        int high = places.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (places.get(middle).key() < key) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** How many answers there are. */
    public int size() {
        return places.size();
    }

    @Override
    public void close() {
        remove(answers, file);
    }
}
