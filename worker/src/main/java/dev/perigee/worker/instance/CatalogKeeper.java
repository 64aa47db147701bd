package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody.Catalog;
import dev.perigee.protocol.event.EventType;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.tool.ServerCatalog;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publisher of an instance's catalogue: after each list of its tools, unless it is the published
 * one. Confined to the supervisor's thread; a server with prompts or resources is asked for them on
 * a virtual thread, after it is online, and of several catalogues under way only the newest counts.
 * Keeps the digest of what it published, not the text; the size of what it publishes delays the
 * next list.
 */
final class CatalogKeeper {
    private static final Logger log = LoggerFactory.getLogger(CatalogKeeper.class);

    private final InstanceContext context;
    private final DiscoveryPace pace;
    private @Nullable String published;
    private @Nullable Thread asking;
    private long round;

    CatalogKeeper(InstanceContext context, DiscoveryPace pace) {
        this.context = context;
        this.pace = pace;
    }

    /** The server listed its tools; an older catalogue that is being made is dropped. */
    void listed(Message.Discovered message) {
        var run = message.run();
        var client = run.client();
        var info = run.info();
        if (client == null || info == null) {
            return;
        }
        long number = ++round;
        Runnable make = () -> make(run, client, info, message.toolPages(), number);
        if (ServerCatalog.asks(info)) {
            asking =
                    Thread.ofVirtual()
                            .name("catalog-" + context.processId())
                            .start(LogContext.current().carriedBy(make));
        } else {
            make.run();
        }
    }

    /** A status that blocks calls ends what nobody asked for, too. */
    void look() {
        var thread = asking;
        if (thread != null && blocks(context.reporter.status())) {
            asking = null;
            thread.interrupt();
        }
    }

    private static boolean blocks(@Nullable ServerStatus status) {
        return switch (status) {
            case OFFLINE, ERROR, REQUIRES_REAUTH, PERMANENTLY_FAILED -> true;
            case null, default -> false;
        };
    }

    private void make(
            ServerRun run, McpClient client, ServerInfo info, List<RawJson> pages, long number) {
        var parts = context.parts;
        try {
            var catalog =
                    new ServerCatalog(client, info, run::masked, parts.options().requestTimeout())
                            .make(pages, parts.clock().instant());
            var made = made(run, number, catalog);
            if (ServerCatalog.asks(info)) {
                context.mailbox.post(made);
            } else {
                publish(made);
            }
        } catch (McpException e) {
            log.atDebug()
                    .addKeyValue("process_id", context.processId())
                    .addKeyValue("reason", run.masked(String.valueOf(e.getMessage())))
                    .log("No catalogue: the server ended");
        } catch (InterruptedException e) {
            log.atDebug()
                    .addKeyValue("process_id", context.processId())
                    .log("No catalogue: the server's status blocks calls");
        } catch (RuntimeException e) {
            log.atError()
                    .addKeyValue("process_id", context.processId())
                    .setCause(e)
                    .log("The catalogue could not be made");
        }
    }

    /** A catalogue is complete; its process may have ended since. */
    void made(Message.Catalogued message) {
        boolean newest = message.round() == round && message.run() == context.run;
        if (newest && context.presence == View.Presence.HERE) {
            publish(message);
        }
    }

    private void publish(Message.Catalogued made) {
        // An older gateway would take it and publish nothing: it is left for the next list then.
        if (!made.digest().equals(published) && context.journal.reaches(EventType.CATALOG)) {
            published = made.digest();
            context.reporter.append(made.catalog(), made.run().pid());
            pace.published(made.bytes(), System.nanoTime());
        }
    }

    private static Message.Catalogued made(ServerRun run, long round, Catalog catalog) {
        var timeless =
                new Catalog(
                        catalog.protocolVersion(),
                        catalog.serverInfo(),
                        catalog.instructions(),
                        catalog.capabilities(),
                        catalog.tools(),
                        catalog.prompts(),
                        catalog.resourceTemplates(),
                        catalog.resources(),
                        catalog.leftOut(),
                        Instant.EPOCH);
        try {
            var json = Json.write(timeless);
            var digest = MessageDigest.getInstance("SHA-256").digest(json);
            return new Message.Catalogued(
                    run, round, catalog, HexFormat.of().formatHex(digest), json.length);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // Every Java has it.
        }
    }
}
