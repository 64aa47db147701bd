package dev.perigee.local.client;

import dev.perigee.client.KafkaConnection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;

/** Grants rights; those that are there already stay. */
public final class AccessSetup implements AutoCloseable {
    private final KafkaConnection connection;
    private final Admin admin;

    public AccessSetup(KafkaConnection connection) {
        this.connection = connection;
        try {
            admin = Admin.create(connection.clientConfig(Map.of()));
        } catch (KafkaException e) {
            throw connection.explained(e);
        }
    }

    /**
     * Grants.
     *
     * @param principal as Kafka names it, such as {@code User:gateway}
     * @throws BrokerUnreachableException when no broker answers in time
     * @throws KafkaRefusedException when the broker says no
     */
    public void grant(String principal, List<AccessRight> rights) throws InterruptedException {
        try {
            admin.createAcls(rights.stream().map(right -> right.bindingFor(principal)).toList())
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw connection.explained(e);
        }
    }

    @Override
    public void close() {
        admin.close(KafkaConnection.PATIENCE);
    }
}
