package dev.perigee.testing.clients;

import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Records;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import tools.jackson.databind.JsonNode;

/**
 * Two gateways and a worker in processes of their own for a test class, behind links that can be
 * cut, and programs on the clients beside them. For one thread.
 */
final class ClientFleet implements BeforeAllCallback, AfterAllCallback {
    /** A topic of a program's own for its answers. */
    static final String REPLIES = "mcp." + Records.REPLIES;

    private static final Path PROGRAMS = Checkout.root().resolve("infra/testing/fixtures/clients");

    private final FleetUnderTest.Builder builder;
    private @Nullable FleetUnderTest started;

    ClientFleet(FleetUnderTest.Builder builder) {
        this.builder = builder.gateways(2).faultyLinks();
    }

    /** Ends a part or a link for a while. */
    interface Outage {
        void happen() throws Exception;
    }

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        started = builder.start();
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (started != null) {
            started.close();
        }
    }

    private FleetUnderTest fleet() {
        return Objects.requireNonNull(started);
    }

    Records records() {
        return fleet().records();
    }

    /** The link, for two seconds. */
    void cut() throws InterruptedException {
        fleet().link(1).partitionFor(Duration.ofSeconds(2));
    }

    /** Each gateway in turn. */
    void kill() {
        for (int gateway = 1; gateway <= 2; gateway++) {
            fleet().part("gateway-" + gateway).kill();
            fleet().startGateway(gateway).awaitReady();
        }
    }

    /**
     * Runs a program to its end, which must be a good one.
     *
     * @param folder for its output
     * @param meanwhile happens once it has printed that line
     * @return its last line
     */
    JsonNode run(
            ClientProgram.Launcher launcher,
            String program,
            Path folder,
            String line,
            Outage meanwhile,
            List<String> arguments)
            throws Exception {
        var all = new ArrayList<String>();
        all.add(PROGRAMS.resolve(program).toString());
        all.add(fleet().bootstrap());
        all.addAll(arguments);
        try (var running = launcher.start(folder.resolve("out"), all.toArray(String[]::new))) {
            running.awaitLine(line);
            meanwhile.happen();
            var printed = running.succeed().lines().toList();
            return Json.tree(printed.getLast().getBytes(StandardCharsets.UTF_8));
        }
    }
}
