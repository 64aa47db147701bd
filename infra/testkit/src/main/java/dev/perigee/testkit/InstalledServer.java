package dev.perigee.testkit;

import dev.perigee.client.PerigeeClient;
import dev.perigee.protocol.command.Command;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.command.CommandPayload;
import dev.perigee.protocol.command.CommandResult;
import dev.perigee.protocol.command.CommandType;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.tool.ToolResult;
import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/**
 * An MCP server of one user that a test has installed. It stays until {@link #uninstall}, {@link
 * #close} or the fleet's end. Any thread.
 */
public final class InstalledServer implements AutoCloseable {
    private static final Duration INSTALL = Duration.ofMinutes(2);
    private static final Duration CALL = Duration.ofSeconds(30);
    private static final Duration MARGIN = Duration.ofSeconds(20);

    private final ServerConfig config;
    private final Supplier<PerigeeClient> client;
    private volatile boolean gone;

    private InstalledServer(ServerConfig config, Supplier<PerigeeClient> client) {
        this.config = config;
        this.client = client;
    }

    /**
     * Installs it, and returns when it is online.
     *
     * @throws IllegalStateException when it does not come online; the message says why
     * @throws TimeoutException when the command has no result in time
     */
    static InstalledServer install(ServerConfig config, Supplier<PerigeeClient> client)
            throws InterruptedException, TimeoutException {
        var server = new InstalledServer(config, client);
        var result = server.send(CommandPayload.install(config));
        var details = result.result();
        if (details == null || details.resultingStatus() != ServerStatus.ONLINE) {
            throw new IllegalStateException(
                    "%s is not online: %s %s. What it wrote is on the topic logs."
                            .formatted(
                                    config.processId(),
                                    result.outcome(),
                                    details == null ? result.error() : details));
        }
        return server;
    }

    /** As it was installed, with its user and team. */
    public ServerConfig config() {
        return config;
    }

    /** Path of one of its tools, as a request has it. */
    public String toolPath(String tool) {
        return config.serverSlug() + ":" + tool;
    }

    /**
     * Calls a tool as its user, with a deadline of 30 seconds; a failed call is a result, no
     * exception.
     *
     * @param arguments a JSON object
     * @throws TimeoutException when there is no answer in time, not even a gateway's own
     */
    public ToolResult call(String tool, String arguments)
            throws InterruptedException, TimeoutException {
        var request =
                ToolRequest.call(
                        UUID.randomUUID().toString(),
                        config.teamId(),
                        config.userId(),
                        toolPath(tool),
                        RawJson.of(arguments),
                        CALL.toMillis());
        return client.get().call(request, CALL.plus(MARGIN));
    }

    /**
     * Removes it, and returns when it is gone.
     *
     * @throws IllegalStateException when it stays, and why
     * @throws TimeoutException when that is not known after two minutes
     */
    public void uninstall() throws InterruptedException, TimeoutException {
        requireCompleted(
                send(
                        CommandPayload.about(
                                "mcp_installation_deleted",
                                config.installationId(),
                                config.teamId(),
                                config.userId(),
                                null)));
        gone = true;
    }

    static void requireCompleted(CommandResult result) {
        if (result.outcome() != CommandOutcome.COMPLETED) {
            throw new IllegalStateException(
                    "The server is not uninstalled: %s %s"
                            .formatted(result.outcome(), result.error()));
        }
    }

    /**
     * Uninstalls it, if that has not been done.
     *
     * @throws IllegalStateException when it stays, or that is not known, and why
     */
    @Override
    public void close() {
        if (gone) {
            return;
        }
        try {
            uninstall();
        } catch (TimeoutException e) {
            throw new IllegalStateException("It is not known whether the server is gone", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the server was uninstalled", e);
        }
    }

    private CommandResult send(CommandPayload payload)
            throws InterruptedException, TimeoutException {
        var now = Instant.now();
        var command =
                new Command(
                        UUID.randomUUID().toString(),
                        CommandType.CONFIGURE,
                        "immediate",
                        null,
                        now,
                        now.plus(INSTALL),
                        payload);
        return client.get().command(command, INSTALL.plus(MARGIN));
    }
}
