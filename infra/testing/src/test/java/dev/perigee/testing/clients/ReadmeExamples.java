package dev.perigee.testing.clients;

import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** Programs in the clients' READMEs, in order, for another broker and with the server from here. */
final class ReadmeExamples {
    private static final String BROKER = "127.0.0.1:9092";
    private static final String PACKAGE = "@modelcontextprotocol/server-everything";

    private ReadmeExamples() {}

    static List<String> typescript(String bootstrap) throws IOException {
        return of(
                ClientProgram.typescript(),
                "js",
                bootstrap,
                "'npx', args: ['-y', '%s']",
                "'%s', args: ['%s']");
    }

    static List<String> python(String bootstrap) throws IOException {
        return of(
                ClientProgram.python(),
                "python",
                bootstrap,
                "\"npx\", \"args\": [\"-y\", \"%s\"]",
                "\"%s\", \"args\": [\"%s\"]");
    }

    private static List<String> of(
            Path client, String language, String bootstrap, String elsewhere, String here)
            throws IOException {
        var page = Files.readString(client.resolve("README.md"));
        var server = here.formatted(Fixtures.NODE, NpmServers.installed().entry("everything"));
        return Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page)
                .results()
                .map(
                        block ->
                                block.group(1)
                                        .replace(elsewhere.formatted(PACKAGE), server)
                                        .replace(BROKER, bootstrap))
                .toList();
    }
}
