package dev.perigee.gateway;

import dev.perigee.gateway.inbound.RecordReader;
import dev.perigee.protocol.access.AdminAccess;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.topic.TopicNames;
import java.time.InstantSource;
import java.util.function.Supplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.eclipse.jetty.server.Handler;

/**
 * Console of a gateway as the gateway sees it: pages on the admin address, and what runs behind
 * them until it is closed. Used by the thread that starts and closes the gateway.
 */
public interface GatewayConsole extends AutoCloseable {
    /** For a gateway that has no console. */
    Maker NONE = (_, _, _, _, _, _) -> () -> {};

    /** Handlers that check access themselves and pass on requests that are not for their pages. */
    default Handler[] handlers() {
        return new Handler[0];
    }

    /** Ends what viewers began; bounded. */
    @Override
    void close();

    /** Maker of a gateway's console, which does nothing until its first viewer. */
    interface Maker {
        /**
         * Makes it.
         *
         * @param access to the admin address
         * @param rules by which the gateway refuses records
         */
        GatewayConsole of(
                Settings settings,
                AdminAccess access,
                FleetSources sources,
                Kafka kafka,
                RecordReader rules,
                InstantSource clock);
    }

    /**
     * Kafka clients and names that a console uses.
     *
     * @param consumers makes consumers outside any group that read committed records only
     * @param producers makes producers for actions
     * @param redrivers makes producers for {@link dev.perigee.gateway.deadletter.Redrive}
     * @param group of the gateways
     * @param memberSuffix what the gateways' consumers append to the gateway's id
     */
    record Kafka(
            Supplier<Consumer<byte[], byte[]>> consumers,
            Supplier<Producer<byte[], byte[]>> producers,
            Supplier<Producer<byte[], byte[]>> redrivers,
            Admin admin,
            TopicNames names,
            String group,
            String memberSuffix) {}
}
