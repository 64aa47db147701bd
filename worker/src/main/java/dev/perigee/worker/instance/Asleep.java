package dev.perigee.worker.instance;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.Require;
import dev.perigee.worker.tool.ToolCatalogue;
import dev.perigee.worker.tool.ToolCatalogue.ServerTool;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/**
 * State by which the next worker leaves a dormant instance asleep. Its tools are compressed, since
 * every claim of the partition reads them.
 *
 * @param since when its process ended
 * @param configHash fingerprint of the configuration whose tools these are
 * @param tools the catalogue
 */
record Asleep(Instant since, String configHash, String tools) {
    /** Whose tools take more is started by the next worker to list them. */
    private static final int LARGEST = 16 << 10;

    private static final int LARGEST_UNPACKED = 10 << 20;

    /** The catalogue as it is written. */
    record Listed(List<ServerTool> tools) {
        Listed {
            tools = List.copyOf(Require.present(tools, "tools"));
        }
    }

    /** Null where the tools are not known, or take too much. */
    static @Nullable Asleep of(
            Instant since, String configHash, @Nullable ToolCatalogue catalogue) {
        if (catalogue == null) {
            return null;
        }
        var packed = pack(Json.write(new Listed(catalogue.listed())));
        return packed.length() > LARGEST ? null : new Asleep(since, configHash, packed);
    }

    /** The catalogue, null when it cannot be read. */
    @Nullable ToolCatalogue catalogue() {
        try {
            return ToolCatalogue.of(Json.read(unpack(tools), Listed.class).tools());
        } catch (InvalidRecordException | IllegalArgumentException | IOException e) {
            return null;
        }
    }

    private static String pack(byte[] bytes) {
        var packed = new ByteArrayOutputStream();
        try (var zip = new GZIPOutputStream(packed)) {
            zip.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(packed.toByteArray());
    }

    private static byte[] unpack(String text) throws IOException {
        var packed = new ByteArrayInputStream(Base64.getDecoder().decode(text));
        try (var zip = new GZIPInputStream(packed)) {
            return zip.readNBytes(LARGEST_UNPACKED);
        }
    }
}
