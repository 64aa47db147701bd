package dev.perigee.local.cli;

import dev.perigee.gateway.Gateway;
import dev.perigee.gateway.GatewayStartException;
import dev.perigee.local.fleet.RunningPart;
import dev.perigee.protocol.settings.Settings;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;

/** Runs a gateway in the foreground. */
@Command(
        name = "gateway",
        header = "Run a gateway: it carries topics to workers and back.",
        description = "Configuration keys are in docs/reference/configuration.md.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  perigee gateway --set workers=ws://127.0.0.1:7070/link",
            "  perigee gateway --config gateway.properties"
        })
final class GatewayCommand extends PartCommand {
    @Override
    Map<String, String> given() {
        return Map.of();
    }

    @Override
    RunningPart start(Settings settings) throws InterruptedException {
        try {
            return new Running(Gateway.start(settings), new CountDownLatch(1));
        } catch (GatewayStartException e) {
            throw new CliException(ExitCode.FAILED, String.valueOf(e.getMessage()));
        }
    }

    /** A gateway goes on until it is told to end. */
    private record Running(Gateway gateway, CountDownLatch closed) implements RunningPart {
        @Override
        public Map<String, String> addresses() {
            return Map.of("admin", gateway.adminUri().toString());
        }

        @Override
        public void awaitEnd() throws InterruptedException {
            closed.await();
        }

        @Override
        public void close() {
            gateway.close();
            closed.countDown();
        }
    }
}
