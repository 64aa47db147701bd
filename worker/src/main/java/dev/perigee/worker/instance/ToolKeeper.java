package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.EventBody.ToolsUpdated;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.tool.FailureStatus;
import dev.perigee.worker.tool.ToolCatalogue;
import dev.perigee.worker.tool.ToolDiscovery;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tools of one instance: discovered when a process runs, and again when the server says that they
 * changed, one discovery at a time. Confined to the supervisor's thread; the server is asked on
 * virtual threads.
 */
final class ToolKeeper {
    private static final Logger log = LoggerFactory.getLogger(ToolKeeper.class);

    private final InstanceContext context;
    private final Announcement announcement;
    private final CatalogKeeper catalog;
    private final DiscoveryPace pace = new DiscoveryPace(System.nanoTime());
    private boolean again;
    private boolean moved;
    private long round;
    private @Nullable Long dueNanos;

    /** Reports that a process came online. */
    interface Announcement {
        void tell(ServerRun run, int toolCount);
    }

    ToolKeeper(InstanceContext context, Announcement announcement) {
        this.context = context;
        this.announcement = announcement;
        this.catalog = new CatalogKeeper(context, pace);
    }

    /** When {@link #due} is to be called, in terms of {@link System#nanoTime}; null when never. */
    @Nullable Long dueNanos() {
        return dueNanos;
    }

    /** Asks the server for its tools; while it is online, without a change of status. */
    void discover(ServerRun run) {
        var client = run.client();
        var info = run.info();
        if (client == null || info == null) {
            return;
        }
        context.reporter.on(Step.DISCOVERS, null, null, run.pid());
        context.discovering = true;
        again = false;
        upToDate(run); // What the server announces from now on may be missing in its answer.
        long number = ++round;
        var slug = context.identity.serverSlug();
        Runnable ask = () -> context.mailbox.post(answer(run, client, info, slug, number));
        var _ =
                Thread.ofVirtual()
                        .name("discover-" + context.processId())
                        .start(LogContext.current().carriedBy(ask));
    }

    /** Asks the server, which may be waited for; on a thread of its own. */
    private Message answer(
            ServerRun run, McpClient client, ServerInfo info, String slug, long number) {
        var parts = context.parts;
        long deadlineNanos = System.nanoTime() + parts.options().requestTimeout().toNanos();
        var pages = new ArrayList<RawJson>();
        try {
            var found =
                    parts.retrying()
                            .whenAsked(
                                    () -> {
                                        pages.clear();
                                        return ToolDiscovery.discover(
                                                client,
                                                info,
                                                slug,
                                                Duration.ofNanos(deadlineNanos - System.nanoTime()),
                                                pages::add);
                                    },
                                    deadlineNanos);
            return new Message.Discovered(run, number, found, pages);
        } catch (McpException e) {
            return new Message.DiscoveryFailed(
                    run, number, run.undiscovered(e), FailureStatus.putOff(e));
        } catch (InterruptedException | RuntimeException e) {
            log.atError().setCause(e).log("Discovery failed");
            var trouble = FailureStatus.error("Tool discovery failed: see the worker's log");
            return new Message.DiscoveryFailed(run, number, trouble, null);
        }
    }

    void discovered(Message.Discovered message) {
        var run = message.run();
        if (gone(run) || message.round() != round) {
            return;
        }
        context.discovering = false;
        pace.listed();
        if (context.reporter.status() == ServerStatus.ONLINE) {
            if (tellTools(run, message.catalogue())) {
                pace.published(message.catalogue().bytes(), System.nanoTime());
            }
        } else {
            online(run, message.catalogue());
        }
        catalog.listed(message);
        moved &= again;
        if (again) {
            discover(run);
        } else if (context.outdated) {
            discoverInTime(run);
        }
    }

    /** The tools are known: the instance is online. */
    void online(ServerRun run, ToolCatalogue catalogue) {
        context.reporter.on(Step.LISTED, null, null, run.pid());
        boolean _ = tellTools(run, catalogue);
        announcement.tell(run, catalogue.tools().size());
        context.reporter.on(Step.READY, null, null, run.pid());
        context.waiting.settle(
                Outcomes.completed(
                        context.processId(), CommandDetails.status(ServerStatus.ONLINE, null)));
    }

    /** Publishes a catalogue, unless it is the published one; whether it did. */
    private boolean tellTools(ServerRun run, ToolCatalogue catalogue) {
        var told = context.publishedCatalogue;
        if (catalogue.equals(told)) {
            context.catalogue = told;
            return false;
        }
        context.catalogue = catalogue;
        context.publishedCatalogue = catalogue;
        context.reporter.append(catalogue.discovered(context.parts.clock().instant()), run.pid());
        var change = told == null ? null : catalogue.since(told);
        if (change != null) {
            context.reporter.append(change, run.pid());
        }
        return true;
    }

    /** Something happened: the status may be another one. */
    void look() {
        catalog.look();
    }

    /** What the server says of itself and offers is known. */
    void catalogued(Message.Catalogued message) {
        catalog.made(message);
    }

    /** The tools that were known stay known. */
    void failed(Message.DiscoveryFailed message) {
        var run = message.run();
        if (gone(run) || message.round() != round) {
            return;
        }
        context.discovering = false;
        upToDate(run);
        var trouble = message.trouble();
        run.remark(trouble.message());
        var putOff = message.putOff();
        boolean known = again || !moved; // A new address has listed nothing yet.
        if (putOff != null && known && context.reporter.status() == ServerStatus.ONLINE) {
            askAgain(run, putOff);
            return;
        }
        moved = false;
        context.reporter.on(new StartFailed(trouble.status()), trouble.message(), null, run.pid());
        context.waiting.settle(
                Outcomes.spawnFailed(context.processId(), trouble.status(), trouble.message()));
    }

    /** An online server would not list its tools this time. */
    private void askAgain(ServerRun run, Duration putOff) {
        if (again) {
            discover(run);
            return;
        }
        context.outdated = pace.refused(putOff, System.nanoTime());
        resume(run);
    }

    /** What is being asked does not count any more. */
    void giveUp() {
        round++;
        again = false;
        moved = false;
        context.discovering = false;
        context.outdated = false;
        dueNanos = null;
    }

    void changed(Message.ToolsChanged message) {
        var run = message.run();
        if (gone(run) || context.lifecycle.state() != InstanceState.RUNNING) {
            run.changeSeen();
            return;
        }
        context.outdated = true;
        if (!context.discovering) {
            discoverInTime(run);
        }
    }

    /** Asks an online server again, now or when the pace allows it. */
    private void discoverInTime(ServerRun run) {
        long now = System.nanoTime();
        if (context.reporter.status() != ServerStatus.ONLINE) {
            upToDate(run);
        } else if (pace.dueNanos() - now > 0) {
            dueNanos = pace.dueNanos();
        } else {
            pace.began(now);
            discover(run);
        }
    }

    /** The time of a re-discovery came. */
    void due() {
        dueNanos = null;
        var run = context.run;
        if (run != null && !run.isOver() && context.lifecycle.state() == InstanceState.RUNNING) {
            resume(run);
        }
    }

    /** A process whose tools were published before runs; what was announced since is due. */
    void resume(ServerRun run) {
        if (context.outdated && !context.discovering) {
            discoverInTime(run);
        }
    }

    private void upToDate(ServerRun run) {
        dueNanos = null;
        context.outdated = false;
        run.changeSeen();
    }

    /** An online server may have announced other tools to no one; a list under way will do. */
    void missed(ServerRun run) {
        if (!gone(run) && !context.discovering) {
            context.outdated = true;
            discoverInTime(run);
        }
    }

    /** The tools of an online server are others by now: it has another address. */
    void discoverAgain(ServerRun run) {
        moved = true;
        if (context.discovering) {
            again = true;
        } else if (context.reporter.status() == ServerStatus.ONLINE) {
            discover(run);
        }
    }

    /**
     * A server whose status said it would not answer did: it is looked at again, a flapping one
     * after a pause.
     */
    void recovered(ServerRun run) {
        if (gone(run) || context.discovering) {
            return;
        }
        var status = context.reporter.status();
        if (status != ServerStatus.OFFLINE && status != ServerStatus.ERROR) {
            return;
        }
        long now = System.nanoTime();
        long wait = context.recoveries.waitNanos(now);
        if (wait > 0) {
            context.heldRecoveryNanos = now + wait;
            return;
        }
        context.recoveries.changed(now);
        var message = "Server recovered, re-discovering tools";
        if (context.reporter.on(Step.ANSWERED, message, null, run.pid())) {
            discover(run);
        }
    }

    /** Hides or restores a tool. */
    void switchTool(String name, boolean disabled) {
        boolean was = context.reporter.disabledTools().contains(name);
        if (was == disabled) {
            return;
        }
        context.reporter.switchTool(name, disabled);
        var catalogue = context.catalogue;
        int count =
                catalogue == null ? 0 : catalogue.enabled(context.reporter.disabledTools()).size();
        var names = List.of(name);
        context.reporter.append(
                disabled
                        ? new ToolsUpdated(List.of(), names, count)
                        : new ToolsUpdated(names, List.of(), count),
                context.run == null ? null : context.run.pid());
    }

    /** What was known of the tools means nothing for the next process. */
    void forget() {
        context.catalogue = null;
        again = false;
        moved = false;
        context.outdated = false;
        dueNanos = null;
    }

    private boolean gone(ServerRun run) {
        return run != context.run || run.isOver();
    }
}
