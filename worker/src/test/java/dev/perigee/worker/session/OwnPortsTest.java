package dev.perigee.worker.session;

import static dev.perigee.worker.session.WholeWorker.data;
import static dev.perigee.worker.session.WholeWorker.is;
import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.ServerConfigBuilder;
import dev.perigee.protocol.config.ServerConfigBuilder.Owner;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.link.InstanceOrder;
import dev.perigee.protocol.link.LinkMethod;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.worker.egress.LocalEgress;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("TEN-07: A server over HTTP whose address is the worker's own")
final class OwnPortsTest {

    @Test
    @DisplayName("is refused at the admin and the link port, though loopback is allowed")
    void isRefused() throws Exception {
        try (var worker = new WholeWorker(Map.of("egress.allow", LocalEgress.ALLOW))) {
            assertRefused(worker, "admin", worker.adminUri(), 1);
            assertRefused(worker, "link", worker.linkUri(), 2);
        }
    }

    private static void assertRefused(WholeWorker worker, String id, URI own, long offset)
            throws InterruptedException {
        var config = server(id, "http://127.0.0.1:" + own.getPort() + "/metrics");

        worker.gateway.ask(
                LinkMethod.APPLY,
                WholeWorker.apply(config, offset, offset),
                InstanceOrder.Outcome.class);
        worker.hear(config, OwnPortsTest::failed);

        assertThat(worker.lines(config))
                .containsExactly(
                        "Egress refused to 127.0.0.1:%d: the fleet's egress policy does not allow it (egress.allow of the workers)"
                                .formatted(own.getPort()));
    }

    private static boolean failed(InstanceEvent event) {
        return is(event, EventType.STATUS_CHANGED)
                && data(event).path("status").asString().equals("error");
    }

    private static ServerConfig server(String id, String url) {
        return ServerConfigBuilder.elsewhere(
                        id,
                        "slug-" + id,
                        new Owner("t1", "acme", "u1", "alice"),
                        TransportType.HTTP,
                        url)
                .build();
    }
}
