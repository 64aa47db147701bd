package dev.perigee.testing.gateway;

import dev.perigee.faults.FaultProxy;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** A broker with two addresses, one of them through a network that fails to order. */
record BrokerBehindNetwork(EmbeddedBroker broker, FaultProxy network) implements AutoCloseable {
    private static final String HOST = "127.0.0.1";

    static BrokerBehindNetwork start(Path data) throws IOException {
        int direct = FreePort.on(HOST);
        int behind = FreePort.on(HOST);
        int controller = FreePort.on(HOST);
        var network = FaultProxy.to(behind);
        var plain = "PLAINTEXT://%s:%d".formatted(HOST, direct);
        var listeners =
                "%s,BEHIND://%s:%d,CONTROLLER://%s:%d"
                        .formatted(plain, HOST, behind, HOST, controller);
        try {
            var broker =
                    EmbeddedBroker.start(
                            new HostPort(HOST, direct),
                            data,
                            Map.of(
                                    "controller.quorum.voters",
                                    "1@%s:%d".formatted(HOST, controller),
                                    "listeners",
                                    listeners,
                                    "advertised.listeners",
                                    "%s,BEHIND://%s:%d".formatted(plain, HOST, network.port()),
                                    "listener.security.protocol.map",
                                    "PLAINTEXT:PLAINTEXT,BEHIND:PLAINTEXT,CONTROLLER:PLAINTEXT"));
            return new BrokerBehindNetwork(broker, network);
        } catch (IOException e) {
            network.close();
            throw e;
        }
    }

    /** Where clients connect directly. */
    String bootstrap() {
        return broker.bootstrap();
    }

    /** Where clients connect through the network. */
    String behind() {
        return HOST + ":" + network.port();
    }

    @Override
    public void close() {
        broker.close();
        network.close();
    }
}
