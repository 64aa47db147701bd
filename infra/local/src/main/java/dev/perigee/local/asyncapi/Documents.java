package dev.perigee.local.asyncapi;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The AsyncAPI document and the files that it refers to, read when they are needed. */
final class Documents {
    private static final JsonMapper MAPPER = JsonMapper.shared();

    private final Map<Path, JsonNode> read = new HashMap<>();

    /** A part of a document, and where it stands. */
    record Part(Path file, JsonNode node) {}

    Part root(Path file) {
        return new Part(file.toAbsolutePath().normalize(), document(file));
    }

    private JsonNode document(Path file) {
        return read.computeIfAbsent(
                file.toAbsolutePath().normalize(),
                path -> {
                    try {
                        return MAPPER.valueToTree(
                                new Load(LoadSettings.builder().build())
                                        .loadFromString(Files.readString(path)));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                });
    }

    /** What a part refers to, or itself when it does not. */
    Part resolved(Part part) {
        var reference = part.node().path("$ref").asString("");
        if (reference.isEmpty()) {
            return part;
        }
        var hash = reference.indexOf('#');
        var name = hash < 0 ? reference : reference.substring(0, hash);
        var file = name.isEmpty() ? part.file() : part.file().resolveSibling(name).normalize();
        var node = document(file);
        return resolved(new Part(file, hash < 0 ? node : node.at(reference.substring(hash + 1))));
    }

    Part at(Part part, String pointer) {
        return resolved(new Part(part.file(), part.node().at(pointer)));
    }
}
