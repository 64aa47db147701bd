package dev.perigee.protocol.schema;

import com.networknt.schema.Error;
import com.networknt.schema.SchemaLocation;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import dev.perigee.protocol.json.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import tools.jackson.databind.JsonNode;

/** The published schema files: as trees, and as validators with formats asserted. */
final class SchemaFiles {

    private static final String FOLDER = "dev/perigee/protocol/schemas/";
    private static final SchemaRegistry REGISTRY =
            SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_7);

    private SchemaFiles() {}

    /** One file's content; the name is that of the file. */
    static JsonNode tree(String file) {
        try (var in = SchemaFiles.class.getClassLoader().getResourceAsStream(FOLDER + file)) {
            if (in == null) {
                throw new IllegalArgumentException("No schema file " + file);
            }
            return Json.tree(in.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What is wrong with a document, empty when nothing is. */
    static List<String> errors(String file, JsonNode document) {
        return REGISTRY
                .getSchema(SchemaLocation.of("classpath:" + FOLDER + file))
                .validate(
                        document,
                        context ->
                                context.executionConfig(
                                        config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(Error::toString)
                .toList();
    }
}
