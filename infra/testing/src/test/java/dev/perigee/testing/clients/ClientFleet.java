package dev.perigee.testing.clients;

import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Records;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Two gateways and a worker whose servers may ask, in processes of their own, behind links that can
 * be cut. They start with the first test that needs them: on a bare machine none does. For one
 * thread.
 */
final class ClientFleet implements AfterAllCallback {
    /** A topic of a program's own for its answers. */
    static final String REPLIES = "mcp." + Records.REPLIES;

    private @Nullable FleetUnderTest started;

    /** Ends a part or a link for a while. */
    interface Outage {
        void happen() throws Exception;
    }

    @Override
    public void afterAll(ExtensionContext context) {
        if (started != null) {
            started.close();
        }
    }

    private FleetUnderTest fleet() {
        if (started == null) {
            try {
                started =
                        FleetUnderTest.named("clients")
                                .gateways(2)
                                .faultyLinks()
                                .worker("mcp.announce-input", "true")
                                .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return started;
    }

    String bootstrap() {
        return fleet().bootstrap();
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
}
