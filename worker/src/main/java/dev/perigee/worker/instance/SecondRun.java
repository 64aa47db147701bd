package dev.perigee.worker.instance;

import dev.perigee.protocol.link.ToolOrder;
import dev.perigee.protocol.tool.ErrorCode;
import dev.perigee.protocol.tool.ToolError;
import dev.perigee.worker.tool.RetryDecision;
import dev.perigee.worker.tool.ServerRequest;
import org.jspecify.annotations.Nullable;

/**
 * Admission of a call that may have run on a worker that was lost: it runs here only when its tool
 * declares {@code readOnlyHint} or {@code idempotentHint} and {@code retry.trust-hints} allows it.
 * While the tools are not known the call waits for its server as others do; where they stay unknown
 * the answer is {@code outcome_unknown}. A new call is not affected, nor one that goes on from a
 * question. Pure.
 */
final class SecondRun {
    private final boolean again;
    private final ServerRequest request;
    private final boolean trustHints;

    SecondRun(ToolOrder.Execute order, ServerRequest request, boolean trustHints) {
        this.again = order.again() && order.resume() == null;
        this.request = request;
        this.trustHints = trustHints;
    }

    /** The verdict on it, where {@code verdict} would be right for a new call. */
    CallGate.Verdict decide(CallGate.Verdict verdict, @Nullable View view) {
        if (mayRun(view)) {
            return verdict instanceof CallGate.Send && awaitsHints(view)
                    ? new CallGate.Await()
                    : verdict;
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

    /** The error for its author, where {@code error} would be right for a new call. */
    ToolError explain(ToolError error, @Nullable View view) {
        return mayRun(view) ? error : unknown(view);
    }

    private boolean mayRun(@Nullable View view) {
        var catalogue = view == null ? null : view.catalogue();
        var name = request.tool();
        var tool = catalogue == null || name == null ? null : catalogue.find(name);
        return !again || RetryDecision.isRepeatable(request, tool, trustHints);
    }

    /** The server is asked for its tools, whose hints may be others than those that were known. */
    private boolean awaitsHints(@Nullable View view) {
        return again
                && view != null
                && view.discovering()
                && !RetryDecision.isRepeatable(request, null, trustHints);
    }

    private static ToolError unknown(@Nullable View view) {
        return ToolError.of(
                ErrorCode.OUTCOME_UNKNOWN,
                "The worker that ran the call was lost: it may have run, check before repeating it",
                view == null ? null : view.status());
    }
}
