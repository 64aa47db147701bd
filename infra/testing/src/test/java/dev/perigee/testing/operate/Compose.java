package dev.perigee.testing.operate;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The compose file, and the program that reads it where it is installed. */
final class Compose {
    static final Path FILE = Checkout.root().resolve("infra/compose.yaml");

    private static final String NEEDED = "\\$\\{[A-Z_]+:\\?[^}]*}";
    private static final String OPTIONAL = "\\$\\{[A-Z_]+:-([^}]*)}";

    private Compose() {}

    /** The file as compose sees it: merged, needed variables set and others not. */
    static JsonNode read() {
        try {
            var set = Files.readString(FILE).replaceAll(NEEDED, "s").replaceAll(OPTIONAL, "$1");
            return new JsonMapper().valueToTree(new Yaml().<Object>load(set));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What {@code docker compose config} has to say against the file. */
    static String complaints() throws IOException, InterruptedException {
        var program = Program.COMPOSE.path().toString();
        var check =
                start(List.of(program, "compose", "--file", FILE.toString(), "config", "--quiet"));
        var said = new String(check.getInputStream().readAllBytes(), UTF_8);
        return check.waitFor() == 0 ? said : "refused: " + said;
    }

    private static Process start(List<String> command) throws IOException {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(Map.of("PERIGEE_LINK_TOKEN", "s", "PERIGEE_ADMIN_TOKEN", "s"));
        return builder.start();
    }
}
