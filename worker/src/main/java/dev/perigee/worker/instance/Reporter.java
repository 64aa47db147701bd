package dev.perigee.worker.instance;

import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.oauth.OAuthState;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writer of an instance's events to the journal, each with the durable state where that changed:
 * status, crashes, disabled tools, subscriptions, tokens, and whether it is dormant. Confined to
 * the supervisor's thread.
 */
final class Reporter {
    private final InstanceJournal journal;
    private final InstantSource clock;
    private final RestartPolicy policy;
    private final Subscriptions subscriptions;
    private StatusMachine status = new StatusMachine();
    private List<Instant> crashes = new ArrayList<>();
    private Set<String> disabledTools = Set.of();
    private @Nullable Asleep asleep;
    private @Nullable OAuthState oauth;
    private DurableState told = DurableState.none();
    private Supplier<@Nullable String> version = () -> null;
    private Runnable beforeReauth = () -> {};

    Reporter(
            InstanceJournal journal,
            InstantSource clock,
            RestartPolicy policy,
            Subscriptions subscriptions) {
        this.journal = journal;
        this.subscriptions = subscriptions;
        this.clock = clock;
        this.policy = policy;
    }

    /** Statuses name this version of the server. */
    void versionedBy(Supplier<@Nullable String> source) {
        version = source;
    }

    /** Continues where a former owner left off. */
    void restore(DurableState state) {
        status = new StatusMachine(state.status(), state.statusMessage(), state.synced());
        crashes = new ArrayList<>(state.crashes());
        disabledTools = state.disabledTools();
        subscriptions.restore(state.subscriptions());
        oauth = state.oauth();
        told = state;
    }

    /** Begins anew with the tokens, where a spent one is lost, and the tools switched off. */
    void takeOver(DurableState state) {
        disabledTools = state.disabledTools();
        oauth = state.oauth();
    }

    /** Something is said before each {@code requires_reauth}. */
    void precedesReauth(Runnable event) {
        beforeReauth = event;
    }

    /** What a later owner knows of its tokens, or will with the next event. */
    @Nullable OAuthState oauth() {
        return oauth;
    }

    /** Tokens changed: made durable with the next event. */
    void oauth(@Nullable OAuthState now) {
        oauth = now;
    }

    /** What a later owner knows of its sleep; null where it is taken to be awake. */
    @Nullable Asleep toldAsleep() {
        return told.asleep();
    }

    /** It sleeps, or does not: made durable with the next event, while it is online. */
    void asleep(@Nullable Asleep now) {
        asleep = now;
    }

    StatusMachine machine() {
        return status;
    }

    @Nullable ServerStatus status() {
        return status.status();
    }

    Set<String> disabledTools() {
        return disabledTools;
    }

    void switchTool(String name, boolean disabled) {
        var names = new TreeSet<>(disabledTools);
        if (disabled) {
            names.add(name);
        } else {
            names.remove(name);
        }
        disabledTools = Set.copyOf(names);
    }

    /** Crashes within the policy's window. */
    int crashCount() {
        return policy.recent(crashes, clock.instant()).size();
    }

    /** Notes a crash; the number of those that count, this one included. */
    int crashed() {
        var now = clock.instant();
        crashes.add(now);
        crashes = new ArrayList<>(policy.recent(crashes, now));
        return crashes.size();
    }

    void forgetCrashes() {
        crashes.clear();
    }

    /** Follows a trigger and reports the new status; false when the status stays as it is. */
    boolean on(
            StatusTrigger trigger,
            @Nullable String message,
            @Nullable String commandId,
            @Nullable Long pid) {
        var event = status.on(trigger, message, commandId, clock.instant());
        if (event != null) {
            if (event.status() == ServerStatus.REQUIRES_REAUTH) {
                beforeReauth.run();
            }
            append(event.ofVersion(version.get()), pid);
        }
        return event != null;
    }

    void append(EventBody event, @Nullable Long pid) {
        journal.append(event, pid, changedDurable());
    }

    /** The same; called back once it is public, and durable what it changes. */
    void append(EventBody event, @Nullable Long pid, Runnable acknowledged) {
        journal.append(event, pid, changedDurable(), acknowledged);
    }

    private @Nullable RawJson changedDurable() {
        var now =
                new DurableState(
                        status.status(),
                        status.message(),
                        status.synced(),
                        crashes,
                        disabledTools,
                        status.status() == ServerStatus.ONLINE ? asleep : null,
                        subscriptions.stored(),
                        oauth);
        if (now.equals(told)) {
            return null;
        }
        told = now;
        return now.write();
    }
}
