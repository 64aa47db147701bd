package dev.perigee.testing.clients;

import dev.perigee.faults.Program;
import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.NpmServers;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Programs on the clients, in each language that is here, that go through one outage of their fleet
 * side by side: some are asked by a server, others are halfway with their calls. For one thread.
 */
final class Crossing implements AutoCloseable {
    static final String TYPESCRIPT = ".mjs";
    static final String PYTHON = ".py";

    /** How many calls each makes of those that call. */
    static final int CALLS = 60;

    private static final Path PROGRAMS = Checkout.root().resolve("infra/testing/fixtures/clients");

    private final ClientFleet fleet;
    private final Path folder;
    private final List<String> replies;
    private final Map<String, ClientProgram.Launcher> languages = new HashMap<>();
    private final Map<String, Passenger> asked = new HashMap<>();
    private final Map<String, Passenger> calling = new HashMap<>();

    /**
     * A program.
     *
     * @param file that it was given
     */
    record Passenger(ClientProgram program, Installation server, Path file) {

        /** Its last line, when it has come to a good end. */
        JsonNode report() throws InterruptedException {
            var printed = program.succeed().lines().toList();
            return Json.tree(printed.getLast().getBytes(StandardCharsets.UTF_8));
        }
    }

    /**
     * @param folder empty, for their files
     * @param replies a topic of their own for answers, or nothing
     */
    Crossing(ClientFleet fleet, Path folder, String... replies) {
        this.fleet = fleet;
        this.folder = folder;
        this.replies = List.of(replies);
        languages.put(TYPESCRIPT, ClientProgram::node);
        if (Program.PYTHON_KAFKA.missing() == null) {
            languages.put(PYTHON, ClientProgram::python);
        }
    }

    /** Starts all, and has the outage when each is where it matters. */
    void through(ClientFleet.Outage outage) throws Exception {
        try {
            for (var language : languages.keySet()) {
                asked.put(language, start("asks", language, asking()));
            }
            awaitAll(asked, "asked");
            for (var language : languages.keySet()) {
                var server = Installation.fixture();
                calling.put(language, start("calls", language, server, Integer.toString(CALLS)));
            }
            awaitAll(calling, "installed");
            for (var each : calling.values()) {
                Files.createFile(Path.of(each.file() + ".go"));
            }
            awaitAll(calling, "halfway");
            outage.happen();
            for (var each : asked.values()) {
                Files.createFile(each.file());
            }
        } catch (Exception | AssertionError e) {
            close();
            throw e;
        }
    }

    /** A server of the official SDK. */
    private static Installation asking() {
        return Installation.of(
                "asking",
                Fixtures.NODE,
                List.of(
                        Fixtures.askingScript().toString(),
                        NpmServers.installed().modules().toString()));
    }

    private Passenger start(String name, String language, Installation server, String... more)
            throws IOException {
        var file = folder.resolve(name + language);
        var arguments = new ArrayList<String>();
        arguments.add(PROGRAMS.resolve(name + language).toString());
        arguments.add(fleet.bootstrap());
        arguments.add(server.config().toString());
        arguments.add(file.toString());
        arguments.addAll(List.of(more));
        arguments.addAll(replies);
        var program =
                Objects.requireNonNull(languages.get(language))
                        .start(
                                folder.resolve(name + language + ".out"),
                                arguments.toArray(String[]::new));
        return new Passenger(program, server, file);
    }

    private static void awaitAll(Map<String, Passenger> passengers, String line) {
        passengers.values().forEach(each -> each.program().awaitLine(line));
    }

    /** The one of a language that is asked. */
    Passenger asked(String language) {
        return Objects.requireNonNull(asked.get(language));
    }

    /** The one of a language that calls. */
    Passenger calling(String language) {
        return Objects.requireNonNull(calling.get(language));
    }

    @Override
    public void close() {
        Stream.of(asked, calling)
                .flatMap(all -> all.values().stream())
                .forEach(each -> each.program().close());
    }
}
