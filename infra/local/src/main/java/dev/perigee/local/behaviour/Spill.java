package dev.perigee.local.behaviour;

import dev.perigee.local.recording.RecordingException;
import dev.perigee.local.recording.RecordingJson;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import tools.jackson.databind.JsonNode;

/**
 * Documents on disk, in parts by their id, so that those of one id come together while only one
 * part is in memory. For one thread.
 */
final class Spill implements AutoCloseable {
    private static final int BUFFER = 16 << 10;

    private final List<Path> files = new ArrayList<>();
    private final List<OutputStream> outputs = new ArrayList<>();

    /**
     * @param folder only its owner may look into
     * @param parts how many files
     */
    Spill(Path folder, String name, int parts) {
        try {
            for (int i = 0; i < parts; i++) {
                var file = folder.resolve(name + "-" + i);
                files.add(file);
                outputs.add(new BufferedOutputStream(Files.newOutputStream(file), BUFFER));
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }

    void add(String id, JsonNode document) {
        var output = outputs.get(Math.floorMod(id.hashCode() * 0x9E3779B1, outputs.size()));
        try {
            output.write(RecordingJson.MAPPER.writeValueAsBytes(document));
            output.write('\n');
        } catch (IOException e) {
            throw failed(e);
        }
    }

    int parts() {
        return files.size();
    }

    /** Reads one part and removes it; nothing is added any more. */
    void read(int part, Consumer<JsonNode> take) {
        try {
            for (var output : outputs) {
                output.close();
            }
            try (BufferedReader lines =
                    Files.newBufferedReader(files.get(part), StandardCharsets.UTF_8)) {
                for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                    take.accept(RecordingJson.MAPPER.readTree(line));
                }
            }
            Files.delete(files.get(part));
        } catch (IOException e) {
            throw failed(e);
        }
    }

    private static RecordingException failed(IOException failure) {
        return RecordingException.ofStorage(
                "No room for the comparison's files in "
                        + System.getProperty("java.io.tmpdir")
                        + " ("
                        + failure.getMessage()
                        + "): make some, about ten times the size of both recordings");
    }

    @Override
    public void close() {
        try {
            for (var output : outputs) {
                output.close();
            }
            for (var file : files) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw failed(e);
        }
    }
}
