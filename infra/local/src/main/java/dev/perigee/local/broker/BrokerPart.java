package dev.perigee.local.broker;

import dev.perigee.part.RunningPart;
import dev.perigee.protocol.settings.Settings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The broker as a part of a fleet: configured by settings, with a data directory of its own. */
public final class BrokerPart implements RunningPart {
    private static final Logger log = LoggerFactory.getLogger(BrokerPart.class);

    private final EmbeddedBroker broker;
    private final @Nullable Path temporary;

    private BrokerPart(EmbeddedBroker broker, @Nullable Path temporary) {
        this.broker = broker;
        this.temporary = temporary;
    }

    /**
     * Starts a broker by {@link BrokerSettings} and returns when it serves.
     *
     * @throws IOException when the address is taken or the data directory cannot be used
     */
    public static BrokerPart start(Settings settings) throws IOException {
        var data = settings.valueOrNull(BrokerSettings.DATA);
        var directory = data == null ? Files.createTempDirectory("perigee-broker-") : data;
        var temporary = data == null ? directory : null;
        try {
            var broker =
                    EmbeddedBroker.start(
                            settings.value(BrokerSettings.LISTEN),
                            directory,
                            settings.value(BrokerSettings.KAFKA));
            return new BrokerPart(broker, temporary);
        } catch (IOException | RuntimeException e) {
            delete(temporary);
            throw e;
        }
    }

    @Override
    public Map<String, String> addresses() {
        return Map.of("kafka", broker.bootstrap());
    }

    @Override
    public void awaitEnd() {
        broker.awaitEnd();
    }

    @Override
    public void close() {
        broker.close();
        delete(temporary);
    }

    private static void delete(@Nullable Path directory) {
        if (directory == null) {
            return;
        }
        try (var paths = Files.walk(directory)) {
            for (var path : paths.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        } catch (IOException e) {
            log.atWarn()
                    .addKeyValue("directory", directory)
                    .setCause(e)
                    .log("Cannot remove the temporary data directory");
        }
    }
}
