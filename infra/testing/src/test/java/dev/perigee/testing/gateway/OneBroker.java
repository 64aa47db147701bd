package dev.perigee.testing.gateway;

import dev.perigee.local.broker.EmbeddedBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A broker of a test class, from before its first test until after its last. */
final class OneBroker implements BeforeAllCallback, AfterAllCallback {
    private @Nullable Path data;
    private @Nullable EmbeddedBroker broker;

    @Override
    public void beforeAll(ExtensionContext context) throws IOException {
        var folder = Files.createTempDirectory("one-broker-");
        data = folder;
        broker = EmbeddedBroker.start(folder);
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        if (broker != null) {
            broker.close();
        }
        if (data != null) {
            try (var files = Files.walk(data)) {
                for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    String bootstrap() {
        return Objects.requireNonNull(broker).bootstrap();
    }
}
