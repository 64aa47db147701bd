package dev.perigee.local.broker;

import dev.perigee.local.port.FreePort;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.BindException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;

/**
 * A running KRaft broker, alone unless its settings name other voters. Its topics live in the data
 * directory and survive {@link #close} as well as a kill of the JVM. Start and close are called by
 * one thread.
 *
 * <p>Kafka cannot choose the port of a combined node itself. So a free one is picked ahead, and the
 * start is tried again when somebody else took it all the same.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final int ATTEMPTS = 5;

    private final KafkaRaftServer server;
    private final HostPort address;

    private EmbeddedBroker(KafkaRaftServer server, HostPort address) {
        this.server = server;
        this.address = address;
    }

    /**
     * Starts a broker and returns when it serves.
     *
     * @param listen where clients connect; port 0 takes a free one
     * @param kafka settings of the Kafka broker that override ours
     * @throws IOException when the port is taken or the data directory cannot be used
     */
    public static EmbeddedBroker start(HostPort listen, Path data, Map<String, String> kafka)
            throws IOException {
        return start(listen, data, kafka, FreePort::on);
    }

    static EmbeddedBroker start(
            HostPort listen, Path data, Map<String, String> kafka, PortSource ports)
            throws IOException {
        Files.createDirectories(data);
        format(data, kafka);
        for (var attempt = 1; ; attempt++) {
            var address =
                    listen.port() == 0
                            ? new HostPort(listen.host(), ports.freePort(listen.host()))
                            : listen;
            if (FreePort.isTaken(address) && listen.port() != 0) {
                throw new IOException(
                        "The address "
                                + address
                                + " is in use: stop what listens there, or choose another port");
            }
            var properties = BrokerProperties.of(data, address, ports.freePort("127.0.0.1"), kafka);
            var server = new KafkaRaftServer(configured(properties), Time.SYSTEM);
            try {
                server.startup();
                return new EmbeddedBroker(server, address);
            } catch (RuntimeException e) {
                server.shutdown();
                server.awaitShutdown();
                if (attempt == ATTEMPTS || !isBindFailure(e)) {
                    throw new IOException("The broker did not start: " + e.getMessage(), e);
                }
            }
        }
    }

    private static KafkaConfig configured(Map<String, String> properties) throws IOException {
        try {
            return new KafkaConfig(properties, false);
        } catch (ConfigException e) {
            throw new IOException("The broker did not start: " + e.getMessage(), e);
        }
    }

    private static boolean isBindFailure(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException) {
                return true;
            }
        }
        return false;
    }

    /** Chooses a port for an address. */
    @FunctionalInterface
    interface PortSource {
        int freePort(String host) throws IOException;
    }

    /** Starts a broker on a free port of the loopback address; for tests. */
    public static EmbeddedBroker start(Path data) throws IOException {
        return start(new HostPort("127.0.0.1", 0), data, Map.of());
    }

    /** Where clients connect, as {@code bootstrap.servers} takes it. */
    public String bootstrap() {
        return address.toString();
    }

    /** Waits until the broker has ended, for whatever reason. */
    void awaitEnd() {
        server.awaitShutdown();
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }

    /** Prepares an empty data directory. A directory that was used before is left as it is. */
    private static void format(Path data, Map<String, String> kafka) throws IOException {
        if (Files.exists(data.resolve("meta.properties"))) {
            return;
        }
        try {
            new Formatter()
                    .setPrintStream(
                            new PrintStream(
                                    OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8))
                    .setNodeId(BrokerProperties.nodeId(kafka))
                    .setClusterId(clusterId(kafka))
                    .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                    .setControllerListenerName(BrokerProperties.CONTROLLER)
                    .setMetadataLogDirectory(data.toString())
                    .addDirectory(data.toString())
                    .setIgnoreFormatted(true)
                    .run();
        } catch (Exception e) {
            throw new IOException("The data directory " + data + " cannot be used", e);
        }
    }

    /** Nodes that vote with each other are of one cluster: they take its id from the voters. */
    private static String clusterId(Map<String, String> kafka) {
        var voters = kafka.get(BrokerProperties.VOTERS);
        if (voters == null) {
            return Uuid.randomUuid().toString();
        }
        var id = UUID.nameUUIDFromBytes(voters.getBytes(StandardCharsets.UTF_8));
        return new Uuid(id.getMostSignificantBits(), id.getLeastSignificantBits()).toString();
    }
}
