package dev.perigee.worker.instance;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.oauth.OAuthState;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of an instance that a later owner needs. Stored unread by the gateway beside the
 * configuration; changed by addition only, since any version may read it.
 *
 * @param synced whether the first discovery of the installation is done
 * @param crashes times of the crashes that still count
 * @param disabledTools tools that are hidden and refused
 * @param asleep null unless it is dormant, online, and its tools are known
 * @param subscriptions URIs of the resources that its user subscribed to, null for none
 * @param oauth tokens and open authorizations; null without OAuth
 */
record DurableState(
        @Nullable ServerStatus status,
        @Nullable String statusMessage,
        boolean synced,
        List<Instant> crashes,
        Set<String> disabledTools,
        @Nullable Asleep asleep,
        @Nullable List<String> subscriptions,
        @Nullable OAuthState oauth) {

    @SuppressWarnings("NullAway") // Jackson passes null for what an older version did not write.
    DurableState {
        crashes = crashes == null ? List.of() : List.copyOf(crashes);
        disabledTools = disabledTools == null ? Set.of() : new TreeSet<>(disabledTools);
        subscriptions = subscriptions == null ? null : List.copyOf(subscriptions);
    }

    /** The state of one without OAuth. */
    DurableState(
            @Nullable ServerStatus status,
            @Nullable String statusMessage,
            boolean synced,
            List<Instant> crashes,
            Set<String> disabledTools,
            @Nullable Asleep asleep,
            @Nullable List<String> subscriptions) {
        this(status, statusMessage, synced, crashes, disabledTools, asleep, subscriptions, null);
    }

    /** The state of one without subscriptions. */
    DurableState(
            @Nullable ServerStatus status,
            @Nullable String statusMessage,
            boolean synced,
            List<Instant> crashes,
            Set<String> disabledTools,
            @Nullable Asleep asleep) {
        this(status, statusMessage, synced, crashes, disabledTools, asleep, null);
    }

    static DurableState none() {
        return new DurableState(null, null, false, List.of(), Set.of(), null);
    }

    /** What was stored; nothing when nothing was, or when it cannot be read. */
    static DurableState read(@Nullable RawJson stored) {
        if (stored == null) {
            return none();
        }
        try {
            return Json.read(stored, DurableState.class);
        } catch (InvalidRecordException e) {
            return none();
        }
    }

    RawJson write() {
        return Json.raw(this);
    }
}
