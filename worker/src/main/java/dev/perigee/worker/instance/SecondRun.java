package dev.perigee.worker.instance;

import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.worker.tool.RetryDecision;
import dev.perigee.worker.tool.ServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a call that may have run, on a worker that was lost, runs here: only when its
 * tool is known to be harmless. As long as the tools are not known the call waits as others do for
 * their server; in the end nobody can say whether it ran. Of a call that is new it changes nothing.
 * Pure.
 *
 * <p>Source: design/decisions.md, 6 and 27.
 */
final class SecondRun {
    private final boolean again;
    private final ServerRequest request;
    private final boolean trustHints;

    SecondRun(ToolOrder.Execute order, ServerRequest request, boolean trustHints) {
        this.again = order.again();
        this.request = request;
        this.trustHints = trustHints;
    }

    /** What becomes of it, where {@code verdict} would be right were it new. */
    CallGate.Verdict decide(CallGate.Verdict verdict, @Nullable View view) {
        if (mayRun(view)) {
            return verdict;
        }
        boolean known = view != null && view.catalogue() != null;
        var refused = new CallGate.Refuse(unknown(view));
        if (known || !trustHints) {
            return refused;
        }
        return switch (verdict) {
            case CallGate.Refuse _ -> refused;
            case CallGate.Send _ ->
                    view != null && view.discovering() ? new CallGate.Await() : refused;
            case CallGate.Wake wake -> wake;
            case CallGate.Await await -> await;
        };
    }

    /** What its author is told, where {@code error} would be right were it new. */
    ToolError explain(ToolError error, @Nullable View view) {
        return mayRun(view) ? error : unknown(view);
    }

    private boolean mayRun(@Nullable View view) {
        var catalogue = view == null ? null : view.catalogue();
        var name = request.tool();
        var tool = catalogue == null || name == null ? null : catalogue.find(name);
        return !again || RetryDecision.isRepeatable(request, tool, trustHints);
    }

    private static ToolError unknown(@Nullable View view) {
        return ToolError.of(
                ErrorCode.OUTCOME_UNKNOWN,
                "The worker that ran the call was lost: it may have run, check before repeating it",
                view == null ? null : view.status());
    }
}
