package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.link.InstanceOrder.Quarantine;
import dev.perigee.worker.mcp.ServerMetrics;
import dev.perigee.worker.tool.ToolCatalogue;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Mutable context of one installed instance. Confined to its supervisor's thread; others see the
 * {@link View} that is published from it.
 */
final class InstanceContext {
    final HostParts parts;
    final InstanceSecrets secrets;
    final InstanceJournal journal;
    final UsageAccount account;
    final Mailbox mailbox;
    final ServerMetrics metrics;
    final Subscriptions subscriptions;
    final AccessTokens tokens;
    final Reporter reporter;
    final Waiting waiting = new Waiting();
    final Lifecycle lifecycle = new Lifecycle();
    final OutputGate gate;
    private final ViewBoard board;
    private Runnable whenConfigured = () -> {};

    InstanceIdentity identity;
    ServerConfig config;
    String configHash;

    /** How many times a process was started, or tried to be. */
    int starts;

    /** The process, from its start until its end was handled. */
    @Nullable ServerRun run;

    /** The tools that the server last listed. */
    @Nullable ToolCatalogue catalogue;

    /** The tools that were last published. */
    @Nullable ToolCatalogue publishedCatalogue;

    /** Rate limit of recoveries that no command ordered. */
    final FlapDamping recoveries;

    /** Rate limit of changes from one failure status to another. */
    final FlapDamping failureChanges;

    /** When a recovery that came too soon is to be looked at again; null when none did. */
    @Nullable Long heldRecoveryNanos;

    /** Of the process now or, while there is none, of the last one of this configuration. */
    private @Nullable String version;

    /** The configuration that {@link #version} is of, by its hash. */
    private @Nullable String versionOf;

    boolean discovering;

    /** The server may have other tools than it listed last: it said so, or runs elsewhere now. */
    boolean outdated;

    boolean stopped;

    /** Why it is not run though its user wants it to; null where that is not so. */
    @Nullable Quarantine quarantine;

    View.Presence presence = View.Presence.HERE;

    /** Since when there is no process though the next call starts one; null when not dormant. */
    @Nullable Instant dormantSince;

    @Nullable String lastError;
    @Nullable Boolean healthy;
    @Nullable Instant lastHealthCheckAt;

    InstanceContext(
            HostParts parts,
            InstanceJournal journal,
            UsageAccount account,
            Mailbox mailbox,
            ViewBoard board,
            Subscriptions subscriptions,
            Message.Apply first) {
        this.parts = parts;
        this.secrets = new InstanceSecrets(parts.secrets());
        this.journal = journal;
        this.account = account;
        this.mailbox = mailbox;
        this.gate = new OutputGate(pid -> mailbox.post(new Message.OutputMissed(pid)));
        this.board = board;
        this.metrics = new ServerMetrics(parts.clock());
        this.subscriptions = subscriptions;
        this.tokens = new AccessTokens(mailbox, parts.clock());
        this.reporter =
                new Reporter(journal, parts.clock(), parts.options().restart(), subscriptions);
        reporter.versionedBy(this::version);
        var pause = parts.options().probes().recoveryPause();
        this.recoveries = new FlapDamping(pause, System.nanoTime());
        this.failureChanges = new FlapDamping(pause, System.nanoTime());
        this.config = first.order().config();
        this.configHash = first.configHash();
        this.identity =
                InstanceIdentity.of(first.order().partition(), first.order().startToken(), config);
        journal.controls(gate);
    }

    String processId() {
        return identity.processId();
    }

    /** Something is done with each configuration, before any request is made by it. */
    void whenConfigured(Runnable action) {
        whenConfigured = action;
    }

    /** Takes another configuration over. */
    void configure(Message.Apply message) {
        var before = config;
        config = message.order().config();
        configHash = message.configHash();
        identify(message.order().startToken());
        whenConfigured.run();
        if (isOfAnotherServer(before, config) && subscriptions.clear()) {
            reporter.append(
                    new EventBody.Subscriptions(
                            EventBody.Subscriptions.UNSUBSCRIBED, null, 0, null),
                    null);
        }
    }

    /**
     * Whether what one was subscribed to may be anything at the other, and is none of its business.
     */
    private static boolean isOfAnotherServer(ServerConfig before, ServerConfig after) {
        boolean process = after.transportType().isProcess();
        return before.transportType().isProcess() != process
                || !(process
                        ? Objects.equals(before.command(), after.command())
                        : Objects.equals(before.url(), after.url()));
    }

    /** There is this process now, or none. */
    void runs(@Nullable ServerRun next) {
        if (next == null) {
            var _ = version();
        } else if (!configHash.equals(versionOf)) {
            version = null;
            versionOf = configHash;
        }
        run = next;
    }

    private @Nullable String version() {
        var now = run == null ? ServerVersion.of(config, null, null) : run.version();
        if (now != null) {
            version = now;
        }
        return version;
    }

    /** The same configuration under a newer token. */
    void identify(long startToken) {
        identity = InstanceIdentity.of(identity.partition(), startToken, config);
        journal.identify(identity);
    }

    /**
     * There is no process, and the next call starts one: on the next worker if its tools are known.
     */
    void sleeps(Instant since) {
        sleeps(since, outdated ? null : Asleep.of(since, configHash, catalogue));
    }

    /**
     * The same.
     *
     * @param told what a later owner is to know of it
     */
    void sleeps(Instant since, @Nullable Asleep told) {
        dormantSince = since;
        reporter.asleep(told);
    }

    /** It runs, or is not to be started by a call. */
    void sleepsNoMore() {
        dormantSince = null;
        reporter.asleep(null);
    }

    /** Publishes the view, then releases the outcomes that depend on it. */
    void publish() {
        board.publish(view());
        waiting.release();
    }

    /** Shows things as they are, but no process: from now on no call is sent to it. */
    void hideRun() {
        board.publish(view(null));
    }

    /** How the process that is shown is used, null when it may not be ended; any thread. */
    IdlePolicy.@Nullable Usage usage(RunningCalls calls) {
        var shown = board.current();
        return shown == null ? null : shown.usage(calls, metrics);
    }

    /** How things are, shown or not. */
    View view() {
        return view(lifecycle.state() == InstanceState.RUNNING ? run : null);
    }

    private View view(@Nullable ServerRun shown) {
        var machine = reporter.machine();
        return new View(
                identity,
                config,
                configHash,
                lifecycle.state(),
                machine.status(),
                machine.message(),
                machine.since(),
                dormantSince != null,
                stopped,
                quarantine,
                presence,
                starts,
                shown,
                catalogue,
                reporter.disabledTools(),
                discovering || outdated,
                reporter.crashCount(),
                healthy,
                lastHealthCheckAt,
                lastError);
    }
}
