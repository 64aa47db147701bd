package dev.perigee.worker.instance;

import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import org.jspecify.annotations.Nullable;

/**
 * Admission of a call by the present state of its instance: refused at once while quarantined,
 * stopped, {@code requires_reauth} or {@code permanently_failed}; waits while the status is in
 * transition; sent while {@code offline} or {@code error}, since a call that succeeds is how
 * recovery is seen. Pure.
 */
final class CallGate {
    private CallGate() {}

    /** Verdict on a call. */
    sealed interface Verdict {}

    /** Answer it; no server is asked. */
    record Refuse(ToolError error) implements Verdict {}

    /** Send it. */
    record Send(ServerRun run) implements Verdict {}

    /** Wait for the instance to change by itself. */
    record Await() implements Verdict {}

    /** Have a process started, then wait; once, unless that start left no process either. */
    record Wake(View seen) implements Verdict {}

    /**
     * Decides.
     *
     * @param view null when the configuration was not looked at yet
     * @param tool the tool that is called, null for other requests
     */
    static Verdict decide(@Nullable View view, @Nullable String tool) {
        if (view == null) {
            return new Await();
        }
        var blocked = blocked(view);
        if (blocked != null) {
            return new Refuse(blocked);
        }
        if (tool != null && view.disabledTools().contains(tool)) {
            return refuse(
                    view,
                    ErrorCode.TOOL_DISABLED,
                    "The tool " + tool + " is disabled for this user");
        }
        if (view.status() != null && view.status().isTransitional()) {
            return new Await();
        }
        var run = view.run();
        return switch (view.state()) {
            case RUNNING -> run == null ? new Await() : ready(view, run, tool);
            case STARTING, TERMINATING -> new Await();
            case TERMINATED, FAILED -> new Wake(view);
        };
    }

    private static @Nullable ToolError blocked(View view) {
        var slug = view.identity().serverSlug();
        return switch (view.presence()) {
            case REMOVED ->
                    error(view, ErrorCode.UNKNOWN_SERVER, "The server " + slug + " was removed");
            case LEAVING ->
                    error(view, ErrorCode.UNAVAILABLE, "The server " + slug + " moves: try again");
            case HERE -> blockedHere(view, slug);
        };
    }

    private static @Nullable ToolError blockedHere(View view, String slug) {
        var quarantine = view.quarantine();
        if (quarantine != null) {
            return new ToolError(
                    ErrorCode.QUARANTINED,
                    "The server %s does not run. %s".formatted(slug, quarantine.message()),
                    !quarantine.held(),
                    view.status(),
                    null,
                    null);
        }
        return view.stopped() ? stopped(view) : blockedByStatus(view, slug);
    }

    private static ToolError stopped(View view) {
        return error(
                view,
                ErrorCode.STOPPED,
                "The server %s is stopped: spawn, restart or configure it"
                        .formatted(view.identity().serverSlug()));
    }

    private static @Nullable ToolError blockedByStatus(View view, String slug) {
        var status = view.status();
        if (status == ServerStatus.REQUIRES_REAUTH) {
            return error(
                    view,
                    ErrorCode.REQUIRES_REAUTH,
                    "Tool cannot be executed - server requires re-authentication.\n\n"
                            + "Status: requires_reauth\n"
                            + "The server requires re-authentication."
                            + " Please re-authorize in the dashboard.\n\n"
                            + "Unavailable server: "
                            + slug);
        }
        if (status == ServerStatus.PERMANENTLY_FAILED) {
            return error(
                    view,
                    ErrorCode.PERMANENTLY_FAILED,
                    "Tool cannot be executed - server failed permanently.\n\n"
                            + "Status: permanently_failed\n"
                            + "The server crashed repeatedly. Manual restart required.\n\n"
                            + "Unavailable server: "
                            + slug);
        }
        return null;
    }

    private static Verdict ready(View view, ServerRun run, @Nullable String tool) {
        var catalogue = view.catalogue();
        if (tool == null || catalogue == null || catalogue.find(tool) != null) {
            return new Send(run);
        }
        if (view.discovering()) {
            return new Await();
        }
        return refuse(
                view,
                ErrorCode.UNKNOWN_TOOL,
                "The server %s has no tool %s: see tools/list"
                        .formatted(view.identity().serverSlug(), tool));
    }

    private static Refuse refuse(View view, ErrorCode code, String message) {
        return new Refuse(error(view, code, message));
    }

    private static ToolError error(View view, ErrorCode code, String message) {
        return ToolError.of(code, message, view.status());
    }
}
