package dev.perigee.worker.instance;

import dev.perigee.protocol.command.CommandDetails;
import dev.perigee.protocol.event.EventBody.ToolsUpdated;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.trace.LogContext;
import dev.perigee.worker.instance.StatusTrigger.StartFailed;
import dev.perigee.worker.instance.StatusTrigger.Step;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.tool.FailureStatus;
import dev.perigee.worker.tool.ToolCatalogue;
import dev.perigee.worker.tool.ToolDiscovery;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an instance's tools: discovers them when a process is there, again when the server says
 * they changed, one discovery at a time. On the supervisor's thread; the server is asked on
 * another.
 */
final class ToolKeeper {
    private static final Logger log = LoggerFactory.getLogger(ToolKeeper.class);

    private final Dossier dossier;
    private final Announcement announcement;
    private boolean again;
    private long round;

    /** Tells that a process came online. */
    interface Announcement {
        void tell(ServerRun run, int toolCount);
    }

    ToolKeeper(Dossier dossier, Announcement announcement) {
        this.dossier = dossier;
        this.announcement = announcement;
    }

    /** Asks the server for its tools; while it is online, without a change of status. */
    void discover(ServerRun run) {
        var client = run.client();
        var info = run.info();
        if (client == null || info == null) {
            return;
        }
        dossier.reporter.on(Step.DISCOVERS, null, null, run.pid());
        dossier.discovering = true;
        again = false;
        long number = ++round;
        var slug = dossier.identity.serverSlug();
        var timeout = dossier.parts.options().requestTimeout();
        var mailbox = dossier.mailbox;
        var _ =
                Thread.ofVirtual()
                        .name("discover-" + dossier.processId())
                        .start(
                                LogContext.current()
                                        .carriedBy(
                                                () -> {
                                                    try {
                                                        var found =
                                                                ToolDiscovery.discover(
                                                                        client, info, slug,
                                                                        timeout);
                                                        mailbox.post(
                                                                new Message.Discovered(
                                                                        run, number, found));
                                                    } catch (McpException e) {
                                                        mailbox.post(
                                                                new Message.DiscoveryFailed(
                                                                        run,
                                                                        number,
                                                                        run.undiscovered(e)));
                                                    } catch (InterruptedException
                                                            | RuntimeException e) {
                                                        log.atError()
                                                                .setCause(e)
                                                                .log("Discovery failed");
                                                        mailbox.post(
                                                                new Message.DiscoveryFailed(
                                                                        run,
                                                                        number,
                                                                        FailureStatus.error(
                                                                                "Tool discovery failed: see the"
                                                                                        + " worker's log")));
                                                    }
                                                }));
    }

    void discovered(Message.Discovered message) {
        var run = message.run();
        if (gone(run) || message.round() != round) {
            return;
        }
        dossier.discovering = false;
        if (dossier.reporter.status() == ServerStatus.ONLINE) {
            tellTools(run, message.catalogue());
        } else {
            online(run, message.catalogue());
        }
        if (again) {
            discover(run);
        }
    }

    /** The tools are known: the instance is online. */
    void online(ServerRun run, ToolCatalogue catalogue) {
        dossier.reporter.on(Step.LISTED, null, null, run.pid());
        tellTools(run, catalogue);
        announcement.tell(run, catalogue.tools().size());
        dossier.reporter.on(Step.READY, null, null, run.pid());
        dossier.waiting.settle(
                Outcomes.completed(
                        dossier.processId(), CommandDetails.status(ServerStatus.ONLINE, null)));
    }

    private void tellTools(ServerRun run, ToolCatalogue catalogue) {
        dossier.catalogue = catalogue;
        var told = dossier.toldCatalogue;
        if (catalogue.equals(told)) {
            return;
        }
        dossier.toldCatalogue = catalogue;
        dossier.reporter.append(catalogue.discovered(dossier.parts.clock().instant()), run.pid());
        var change = told == null ? null : catalogue.since(told);
        if (change != null) {
            dossier.reporter.append(change, run.pid());
        }
    }

    /** The tools that were known stay known. */
    void failed(Message.DiscoveryFailed message) {
        var run = message.run();
        if (gone(run) || message.round() != round) {
            return;
        }
        dossier.discovering = false;
        var trouble = message.trouble();
        run.remark(trouble.message());
        dossier.reporter.on(new StartFailed(trouble.status()), trouble.message(), null, run.pid());
        dossier.waiting.settle(
                Outcomes.spawnFailed(dossier.processId(), trouble.status(), trouble.message()));
    }

    /** What is being asked does not count any more. */
    void giveUp() {
        round++;
        again = false;
        dossier.discovering = false;
    }

    void changed(Message.ToolsChanged message) {
        var run = message.run();
        run.changeSeen();
        if (gone(run) || dossier.lifecycle.state() != InstanceState.RUNNING) {
            return;
        }
        discoverAgain(run);
    }

    /** The tools of an online server may be others by now. */
    void discoverAgain(ServerRun run) {
        if (dossier.discovering) {
            again = true;
        } else if (dossier.reporter.status() == ServerStatus.ONLINE) {
            discover(run);
        }
    }

    /** A server whose status said it would not answer did: it is looked at again. */
    void recovered(ServerRun run) {
        if (gone(run) || dossier.discovering) {
            return;
        }
        var message = "Server recovered, re-discovering tools";
        if (dossier.reporter.on(Step.ANSWERED, message, null, run.pid())) {
            discover(run);
        }
    }

    /** Hides or restores a tool. */
    void switchTool(String name, boolean disabled) {
        boolean was = dossier.reporter.disabledTools().contains(name);
        if (was == disabled) {
            return;
        }
        dossier.reporter.switchTool(name, disabled);
        var catalogue = dossier.catalogue;
        int count =
                catalogue == null ? 0 : catalogue.enabled(dossier.reporter.disabledTools()).size();
        var names = List.of(name);
        dossier.reporter.append(
                disabled
                        ? new ToolsUpdated(List.of(), names, count)
                        : new ToolsUpdated(names, List.of(), count),
                dossier.run == null ? null : dossier.run.pid());
    }

    /** What was known of the tools means nothing for the next process. */
    void forget() {
        dossier.catalogue = null;
        again = false;
    }

    private boolean gone(ServerRun run) {
        return run != dossier.run || run.isOver();
    }
}
