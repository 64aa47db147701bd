package dev.perigee.corpus;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Samples that each version wrote, one file {@code VERSION.json} per version that changed a format:
 * an object with one full sample per format. With the system property {@code corpus.add=VERSION}
 * the present samples are written to that version's file. Used by one thread.
 */
public final class Corpus {
    private static final String ADD = "corpus.add";
    private static final JsonMapper MAPPER = JsonMapper.builder().build();
    private static final Comparator<String> VERSIONS =
            Comparator.comparing(
                    version -> {
                        var numbers = version.split("\\.");
                        return Integer.parseInt(numbers[0]) * 1_000_000L
                                + Integer.parseInt(numbers[1]) * 1_000L
                                + Integer.parseInt(numbers[2]);
                    });

    private final Path folder;
    private final Map<String, Format> formats = new TreeMap<>();

    /**
     * A format of which the corpus keeps samples.
     *
     * @param written the sample as the present code writes it, JSON
     * @param reread reads JSON by the present code and writes it again; throws what reading throws
     */
    @SuppressWarnings("ArrayRecordComponent") // passed on, never compared
    private record Format(byte[] written, UnaryOperator<byte[]> reread) {}

    /**
     * Corpus of one module.
     *
     * @param name folder below {@code src/test/resources/corpus} of the module under test
     */
    public Corpus(String name) {
        folder = Path.of("src", "test", "resources", "corpus", name);
    }

    /** Adds a format; the name stays the same in all versions. */
    public void add(String name, byte[] written, UnaryOperator<byte[]> reread) {
        if (formats.put(name, new Format(written, reread)) != null) {
            throw new IllegalArgumentException("The format " + name + " is there twice");
        }
    }

    /** The newest file differs from what is written now, one line per format; empty when equal. */
    public List<String> changes() {
        var now = MAPPER.createObjectNode();
        formats.forEach((name, format) -> now.set(name, tree(format.written())));
        var added = System.getProperty(ADD);
        if (added != null) {
            write(folder.resolve(added + ".json"), now);
        }
        var last = files().lastEntry();
        JsonNode newest = last == null ? MAPPER.createObjectNode() : last.getValue();
        var names = new TreeMap<String, Boolean>();
        now.propertyNames().forEach(name -> names.put(name, true));
        newest.propertyNames().forEach(name -> names.put(name, true));
        var changes = new ArrayList<String>();
        for (var name : names.keySet()) {
            if (!now.path(name).equals(newest.path(name))) {
                changes.add(
                        "%s: %s is written now, %s is the newest entry: see docs/versioning.md"
                                .formatted(name, now.path(name), newest.path(name)));
            }
        }
        return changes;
    }

    /** Fields of any version's samples that the present code does not read as they were written. */
    public List<String> unread() {
        var unread = new ArrayList<String>();
        files().forEach(
                        (version, samples) ->
                                samples.properties()
                                        .forEach(
                                                sample ->
                                                        read(
                                                                version + " " + sample.getKey(),
                                                                formats.get(sample.getKey()),
                                                                sample.getValue(),
                                                                unread)));
        return unread;
    }

    private static void read(
            String where, @Nullable Format format, JsonNode sample, List<String> unread) {
        if (format == null) {
            unread.add(where + ": nothing reads it");
            return;
        }
        try {
            lost(where, sample, tree(format.reread().apply(bytes(sample))), unread);
        } catch (RuntimeException e) {
            unread.add(where + ": " + e);
        }
    }

    /** What the first has and the second lacks or has otherwise. */
    private static void lost(String where, JsonNode old, JsonNode now, List<String> unread) {
        if (old.isObject()) {
            old.properties()
                    .forEach(
                            field ->
                                    lost(
                                            where + "." + field.getKey(),
                                            field.getValue(),
                                            now.path(field.getKey()),
                                            unread));
        } else if (old.isArray()) {
            for (int i = 0; i < old.size(); i++) {
                lost(where + "[" + i + "]", old.path(i), now.path(i), unread);
            }
        } else if (!old.equals(now)) {
            unread.add("%s: %s was written, %s is read".formatted(where, old, now));
        }
    }

    private NavigableMap<String, JsonNode> files() {
        var files = new TreeMap<String, JsonNode>(VERSIONS);
        if (!Files.isDirectory(folder)) {
            return files;
        }
        try (var entries = Files.newDirectoryStream(folder, "*.json")) {
            for (var entry : entries) {
                var name = entry.getFileName().toString();
                files.put(
                        name.substring(0, name.length() - ".json".length()),
                        tree(Files.readAllBytes(entry)));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files;
    }

    private static void write(Path file, JsonNode samples) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            Files.writeString(
                    file,
                    MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(samples) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A JSON document as a tree. */
    public static JsonNode tree(byte[] utf8) {
        return MAPPER.readTree(utf8);
    }

    /** A value as JSON. */
    public static byte[] bytes(Object value) {
        return MAPPER.writeValueAsBytes(value);
    }
}
